#!/bin/bash
# Locks an adapter on its host while lines come in: LINE ADDRESS SECONDS.
#
# LINE names the run. It locks the file that a run on the host itself locks (`RunLock`). A file of another user may only be
# readable, which is enough for the lock; it keeps its old text then. The shell of a lost connection may still hold it for this
# run: then the new one takes it over when that one ends. It ends SECONDS after the last line.
#
# A command that begins there ends with a semicolon, because the lines are sent as one (`RemoteHosts.command`).
d=/run/lock;
if [ ! -k "$d" ] || [ ! -w "$d" ]; then d=/tmp; fi;
f="$d/roboprov-$2.lock";
if ( umask 0; : >>"$f" ) || [ -r "$f" ]; then exec 9<"$f" || exit 74; else exit 74; fi;
flock -n 9 || {
  [ "$(cat "$f")" = "$1" ] || { echo held; cat "$f"; exit 75; };
  echo taken;
  flock 9;
};
( printf "%s\n" "$1" >"$f" ) 2>/dev/null;
echo taken;
while read -r -t "$3"; do :; done;
( : >"$f" ) 2>/dev/null
