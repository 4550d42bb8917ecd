#!/bin/sh
# Prints the facts about a host that `doctor` needs: ROOT CONFIGURATION CONTROLLERS.
#
# They are the time, whether a time server sets it, and the files that `HostFiles` reads, below ROOT. Sizes of files in /proc and
# /sys are not those of their contents, so no archiver can be used.
#
# A command that begins there ends with a semicolon, because the lines are sent as one (`RemoteHosts.command`).
exec 2>/dev/null;
R=$1;
configuration=$2;
controllers=$3;
r() {
  for p; do
    q=${p#"$R"};
    if [ -h "$p" ]; then echo "l $q $(readlink "$p")"; fi;
    if [ ! -r "$p" ]; then [ -e "$p" ] && echo "u $q";
    elif [ -d "$p" ]; then echo "d $q";
    elif [ -f "$p" ]; then echo "f $q $(head -c 20000 "$p" | base64 -w 0)"; fi;
  done;
};
echo "t $(date +%s.%N)";
echo "s $(timedatectl show -p NTPSynchronized --value)";
r "$R/proc" "$R/proc/sys/kernel/osrelease" "$R$configuration";
r "$R/var/lib/bluetooth" "$R"/var/lib/bluetooth/* "$R"/var/lib/bluetooth/*/*;
for u in etc/systemd lib/systemd usr/lib/systemd; do
  u=$R/$u/system/bluetooth.service;
  r "$u" "$u.d" "$u.d"/*.conf;
done;
for p in "$R"/proc/[0-9]*; do
  read -r c <"$p/comm" && [ "$c" = bluetoothd ] && r "$p" "$p/comm" "$p/cmdline";
done;
r "$R$controllers";
for a in "$R$controllers"/*; do
  n=${a##*/};
  d=$a/device;
  r "$a" "$d" "$d/subsystem" "$d/driver" "$d/../idVendor" "$d/../idProduct" "$d/../manufacturer" "$d/../product";
  r "$a"/rfkill*/soft "$a"/rfkill*/hard "$R/sys/kernel/debug/bluetooth/$n/supervision_timeout";
done;
r "$R/sys/class/net";
for n in "$R"/sys/class/net/*; do r "$n" "$n/wireless" "$n/phy80211" "$n/device/driver" "$n/operstate"; done;
true
