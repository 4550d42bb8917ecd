"""Another client: discovers on every adapter for some seconds, as a desktop does while its Bluetooth settings are open.
`discover.py SECONDS [FILTER]`, the filter being JSON for SetDiscoveryFilter; without it none is set. Prints `discovering`
when all adapters do."""

import json
import sys
import time

import dbus

bus = dbus.SystemBus()
manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")
adapters = [path for path, interfaces in manager.GetManagedObjects().items() if "org.bluez.Adapter1" in interfaces]
for path in adapters:
    adapter = dbus.Interface(bus.get_object("org.bluez", path), "org.bluez.Adapter1")
    if len(sys.argv) > 2:
        wishes = json.loads(sys.argv[2])
        adapter.SetDiscoveryFilter({name: dbus.Int16(value) if name == "RSSI" else value for name, value in wishes.items()})
    adapter.StartDiscovery()
print("discovering", flush=True)
time.sleep(float(sys.argv[1]))
