"""Prints what a client may leave behind in bluetoothd: stored devices, connections, and adapters that discover."""

import dbus

bus = dbus.SystemBus()
manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")
for path, interfaces in sorted(manager.GetManagedObjects().items()):
    device = interfaces.get("org.bluez.Device1", {})
    if device.get("Connected"):
        print(path, "Connected")
    if interfaces.get("org.bluez.Adapter1", {}).get("Discovering"):
        print(path, "Discovering")
