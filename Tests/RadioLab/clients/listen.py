"""Discovers on every adapter for so many seconds, then prints what each has heard as JSON: by the adapter's address, the
sensors' addresses with name, RSSI and how often RSSI was reported. `listen.py SECONDS [FILTER]`, the filter being
JSON for SetDiscoveryFilter (RSSI as a number, DuplicateData as a truth value, Pattern as a string)."""

import json
import sys

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")
reported: dict[str, int] = {}


def changed(interface, changes, _invalidated, path):
    if interface == "org.bluez.Device1" and "RSSI" in changes:
        reported[path] = reported.get(path, 0) + 1


bus.add_signal_receiver(changed, "PropertiesChanged", "org.freedesktop.DBus.Properties", "org.bluez", path_keyword="path")
bus.add_signal_receiver(
    lambda path, interfaces: changed("org.bluez.Device1", interfaces.get("org.bluez.Device1", {}), [], path),
    "InterfacesAdded", "org.freedesktop.DBus.ObjectManager", "org.bluez",
)  # fmt: skip

wishes = {"Transport": "le"}
for name, value in json.loads(sys.argv[2] if len(sys.argv) > 2 else "{}").items():
    wishes[name] = dbus.Int16(value) if name == "RSSI" else value
adapters = {
    path: str(interfaces["org.bluez.Adapter1"]["Address"])
    for path, interfaces in manager.GetManagedObjects().items() if "org.bluez.Adapter1" in interfaces
}  # fmt: skip
for path in adapters:
    adapter = dbus.Interface(bus.get_object("org.bluez", path), "org.bluez.Adapter1")
    adapter.SetDiscoveryFilter(wishes)
    adapter.StartDiscovery()

heard: dict[str, dict] = {address: {} for address in adapters.values()}


def finish():
    for path, interfaces in manager.GetManagedObjects().items():
        device = interfaces.get("org.bluez.Device1")
        if device and "RSSI" in device:
            heard[adapters[str(device["Adapter"])]][str(device["Address"])] = {
                "name": str(device.get("Name", "")), "rssi": int(device["RSSI"]), "reports": reported.get(path, 0),
            }  # fmt: skip
    print(json.dumps(heard))
    loop.quit()


loop = GLib.MainLoop()
GLib.timeout_add(int(float(sys.argv[1]) * 1000), finish)
loop.run()
