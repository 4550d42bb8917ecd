"""Prints BlueZ's name of a sensor before, during and after a connection: `names.py ADAPTER ADDRESS`."""

import sys
import time
from typing import Any

import dbus

bus = dbus.SystemBus()
manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")
base = next(
    path for path, interfaces in manager.GetManagedObjects().items()
    if interfaces.get("org.bluez.Adapter1", {}).get("Address") == sys.argv[1]
)  # fmt: skip
adapter = dbus.Interface(bus.get_object("org.bluez", base), "org.bluez.Adapter1")
path = f"{base}/dev_{sys.argv[2].replace(':', '_')}"


def device() -> Any:
    return manager.GetManagedObjects().get(path, {}).get("org.bluez.Device1", {})


def show(when: str) -> None:
    properties = device()
    print(f"{when:40} Name {properties.get('Name', '-')!s:20} Alias {properties.get('Alias', '-')!s}", flush=True)


def receive(when: str) -> None:
    """Scans until the sensor is received."""
    adapter.SetDiscoveryFilter({"Transport": "le", "DuplicateData": True, "RSSI": dbus.Int16(-127)})
    adapter.StartDiscovery()
    end = time.monotonic() + 20
    while "RSSI" not in device():
        if time.monotonic() > end:
            sys.exit("not received")
        time.sleep(0.05)
    time.sleep(2)
    show(when)
    adapter.StopDiscovery()


receive("received")
link = dbus.Interface(bus.get_object("org.bluez", path), "org.bluez.Device1")
link.Connect(timeout=40)
while not device().get("ServicesResolved"):
    time.sleep(0.02)
time.sleep(2)
show("connected, services resolved")
link.Disconnect()
show("disconnected")
receive("received again")
adapter.RemoveDevice(path)
receive("removed, and received again")
adapter.RemoveDevice(path)
