"""Waits until bluetoothd has every adapter that /lab/share/adapters lists, and powers each one on."""

import pathlib
import time

import dbus

bus = dbus.SystemBus()
wanted = set(pathlib.Path("/lab/share/adapters").read_text().split())
while wanted:
    try:
        manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")
        for path, interfaces in manager.GetManagedObjects().items():
            adapter = interfaces.get("org.bluez.Adapter1")
            if adapter and adapter["Address"] in wanted:
                properties = dbus.Interface(bus.get_object("org.bluez", path), "org.freedesktop.DBus.Properties")
                if not adapter["Powered"]:
                    properties.Set("org.bluez.Adapter1", "Powered", True)
                wanted.discard(str(adapter["Address"]))
                print(path, adapter["Address"])
    except dbus.DBusException:
        pass  # Absent or not ready yet.
    time.sleep(0.05)
