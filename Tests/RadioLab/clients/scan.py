"""Scans on every adapter: `scan.py SECONDS [FILTER [STARTS]]`. Prints JSON: for each adapter's address, the addresses of the
received sensors with name, RSSI and the number of RSSI reports. FILTER is JSON for SetDiscoveryFilter (RSSI as a number,
DuplicateData as a Boolean, Pattern as a string). STARTS is the number of starts of discovery in this time, by default 1."""

import json
import sys
from typing import Any

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")
reported: dict[str, int] = {}
strength: dict[str, int] = {}  # the last signalled RSSI: StopDiscovery removes it from the object


def changed(interface: str, changes: dict[str, Any], _invalidated: list[str], path: str) -> None:
    if interface == "org.bluez.Device1" and "RSSI" in changes:
        reported[path] = reported.get(path, 0) + 1
        strength[path] = int(changes["RSSI"])


bus.add_signal_receiver(changed, "PropertiesChanged", "org.freedesktop.DBus.Properties", "org.bluez", path_keyword="path")
bus.add_signal_receiver(
    lambda path, interfaces: changed("org.bluez.Device1", interfaces.get("org.bluez.Device1", {}), [], path),
    "InterfacesAdded", "org.freedesktop.DBus.ObjectManager", "org.bluez",
)  # fmt: skip

wishes: dict[str, Any] = {"Transport": "le"}
for name, value in json.loads(sys.argv[2] if len(sys.argv) > 2 else "{}").items():
    wishes[name] = dbus.Int16(value) if name == "RSSI" else value
adapters = {
    path: str(interfaces["org.bluez.Adapter1"]["Address"])
    for path, interfaces in manager.GetManagedObjects().items() if "org.bluez.Adapter1" in interfaces
}  # fmt: skip


def start(again: bool = False) -> bool:
    for path in adapters:
        adapter = dbus.Interface(bus.get_object("org.bluez", path), "org.bluez.Adapter1")
        if again:
            adapter.StopDiscovery()
        else:
            adapter.SetDiscoveryFilter(wishes)
        adapter.StartDiscovery()
    return False


start()
received: dict[str, dict[str, Any]] = {address: {} for address in adapters.values()}


def finish() -> None:
    for path, interfaces in manager.GetManagedObjects().items():
        device = interfaces.get("org.bluez.Device1")
        if device and path in strength:
            received[adapters[str(device["Adapter"])]][str(device["Address"])] = {
                "name": str(device.get("Name", "")), "rssi": strength[path], "reports": reported.get(path, 0),
            }  # fmt: skip
    print(json.dumps(received))
    loop.quit()


loop = GLib.MainLoop()
seconds, starts = float(sys.argv[1]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
for number in range(1, starts):
    GLib.timeout_add(int(seconds * 1000 * number / starts), lambda: start(again=True))
GLib.timeout_add(int(seconds * 1000), finish)
loop.run()
