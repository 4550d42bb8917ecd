"""Connects to one sensor after the other and keeps each link, to measure the slots: `hold.py ADAPTER ADDRESS…`."""

import sys
import time
from typing import Any

import dbus

bus = dbus.SystemBus()
manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")


def devices() -> dict[str, Any]:
    return {
        str(interfaces["org.bluez.Device1"]["Address"]): path
        for path, interfaces in manager.GetManagedObjects().items()
        if "org.bluez.Device1" in interfaces and path.startswith(base + "/")
    }  # fmt: skip


base = next(
    path for path, interfaces in manager.GetManagedObjects().items()
    if interfaces.get("org.bluez.Adapter1", {}).get("Address") == sys.argv[1]
)  # fmt: skip
adapter = dbus.Interface(bus.get_object("org.bluez", base), "org.bluez.Adapter1")
adapter.StartDiscovery()
end = time.monotonic() + 20
while not set(sys.argv[2:]) <= set(devices()) and time.monotonic() < end:
    time.sleep(0.1)
adapter.StopDiscovery()
for address in sys.argv[2:]:
    began = time.monotonic()
    try:
        dbus.Interface(bus.get_object("org.bluez", devices()[address]), "org.bluez.Device1").Connect(timeout=40)
        answer = "connected"
    except dbus.DBusException as error:
        answer = f"{error.get_dbus_name()}: {error.get_dbus_message()}"
    print(f"{address} {time.monotonic() - began:6.2f} s  {answer}", flush=True)
for path in devices().values():
    try:
        adapter.RemoveDevice(path)
    except dbus.DBusException:
        pass
