"""A foreign client: discovers on every adapter for so many seconds, as any desktop does when its Bluetooth settings
are open. `discover.py SECONDS`."""

import sys
import time

import dbus

bus = dbus.SystemBus()
manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")
adapters = [path for path, interfaces in manager.GetManagedObjects().items() if "org.bluez.Adapter1" in interfaces]
for path in adapters:
    dbus.Interface(bus.get_object("org.bluez", path), "org.bluez.Adapter1").StartDiscovery()
print("discovering", flush=True)
time.sleep(float(sys.argv[1]))
