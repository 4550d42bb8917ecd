"""A foreign client: finds a sensor, connects, waits until its services are resolved, and disconnects. BlueZ is not told to
forget the sensor, so it keeps the cached attributes. `connect.py ADAPTER ADDRESS…`."""

import sys
import time
from collections.abc import Callable
from typing import Any

import dbus

bus = dbus.SystemBus()
manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")


def find(interface: str, key: str, value: str, below: str = "") -> Any:
    for path, interfaces in manager.GetManagedObjects().items():
        if path.startswith(below) and interfaces.get(f"org.bluez.{interface}", {}).get(key) == value:
            return path
    return None


def until(condition: Callable[[], Any], timeout: float = 30) -> Any:
    end = time.monotonic() + timeout
    while not (result := condition()):
        if time.monotonic() > end:
            sys.exit(f"not so after {timeout} s")
        time.sleep(0.05)
    return result


base = find("Adapter1", "Address", sys.argv[1])
adapter = dbus.Interface(bus.get_object("org.bluez", base), "org.bluez.Adapter1")
for address in sys.argv[2:]:
    adapter.StartDiscovery()
    path = until(lambda: find("Device1", "Address", address, base))
    adapter.StopDiscovery()
    device = dbus.Interface(bus.get_object("org.bluez", path), "org.bluez.Device1")
    device.Connect(timeout=30)
    until(lambda: manager.GetManagedObjects()[path]["org.bluez.Device1"]["ServicesResolved"])
    device.Disconnect()
    print(address, flush=True)
