"""Switches an adapter on or off, as a user does, and waits for the change: `power.py ADDRESS on|off`."""

import sys
import time

import dbus

bus = dbus.SystemBus()
manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")
path = next(
    path for path, interfaces in manager.GetManagedObjects().items()
    if interfaces.get("org.bluez.Adapter1", {}).get("Address") == sys.argv[1]
)  # fmt: skip
properties = dbus.Interface(bus.get_object("org.bluez", path), "org.freedesktop.DBus.Properties")
properties.Set("org.bluez.Adapter1", "Powered", sys.argv[2] == "on", timeout=20)
end = time.monotonic() + 10
while bool(properties.Get("org.bluez.Adapter1", "Powered")) != (sys.argv[2] == "on"):
    if time.monotonic() > end:
        sys.exit("the adapter did not change within 10 s")
    time.sleep(0.02)
