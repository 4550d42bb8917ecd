"""A plain client without roboprov: provisions sensors one after the other over D-Bus and prints the time of each step. It
tests the lab itself: `provision.py ADAPTER ADDRESS=MINOR…`."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import dbus

ADAPTER, ORDERS = sys.argv[1], [order.split("=") for order in sys.argv[2:]]
PREFIX = "12345678-9abc-def0-1234-00000000000"
bus = dbus.SystemBus()


def on(path: str, interface: str) -> Any:
    return dbus.Interface(bus.get_object("org.bluez", path), f"org.bluez.{interface}")


def objects() -> Any:
    manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")
    return manager.GetManagedObjects()


def until(what: str, condition: Callable[[], Any], timeout: float) -> Any:
    end = time.monotonic() + timeout
    while not (result := condition()):
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)
    return result


def find(address: str) -> Any:
    for path, interfaces in objects().items():
        if path.startswith(base + "/") and interfaces.get("org.bluez.Device1", {}).get("Address") == address:
            return path
    return None


def device(path: str) -> Any:
    return objects().get(path, {}).get("org.bluez.Device1", {})


def characteristics(path: str) -> dict[str, Any] | None:
    found = {
        str(interfaces["org.bluez.GattCharacteristic1"]["UUID"])[-1]: child
        for child, interfaces in objects().items()
        if child.startswith(path + "/") and "org.bluez.GattCharacteristic1" in interfaces
        and str(interfaces["org.bluez.GattCharacteristic1"]["UUID"]).startswith(PREFIX)
    }  # fmt: skip
    return found if {"4", "5", "6", "7"} <= set(found) else None


base = next(
    path for path, interfaces in objects().items()
    if interfaces.get("org.bluez.Adapter1", {}).get("Address") == ADAPTER
)  # fmt: skip
adapter = on(base, "Adapter1")


def forget(path: str) -> None:
    try:
        adapter.RemoveDevice(path)
    except dbus.DBusException:
        pass  # BlueZ has removed it already.


def note(steps: dict[str, float], name: str, began: float) -> float:
    """Notes the time of a step, and returns the begin of the next one."""
    now = time.monotonic()
    steps[name] = round(now - began, 3)
    return now


for address, minor in ORDERS:
    steps: dict[str, float] = {}
    began = time.monotonic()

    adapter.SetDiscoveryFilter({"Transport": "le", "DuplicateData": True})
    adapter.StartDiscovery()
    path = until("the sensor", lambda: find(address), 20)
    adapter.StopDiscovery()
    began = note(steps, "found", began)
    on(path, "Device1").Connect(timeout=30)
    began = note(steps, "connected", began)
    table = until("its characteristics", lambda: characteristics(path), 20)
    began = note(steps, "resolved", began)
    on(table["7"], "GattCharacteristic1").StartNotify()
    began = note(steps, "subscribed", began)
    for name, value in (("2", b"Office"), ("3", b"correct horse"), ("4", b"Room " + minor.encode()),
                        ("5", int(minor).to_bytes(2, "big")), ("6", b"SAVE")):  # fmt: skip
        on(table[name], "GattCharacteristic1").WriteValue(value, {"type": "request"})
    began = note(steps, "written", began)
    until("its disconnection", lambda: not device(path).get("Connected"), 10)
    began = note(steps, "disconnected", began)
    forget(path)
    adapter.StartDiscovery()
    data = until("its iBeacon", lambda: device(path).get("ManufacturerData", {}).get(0x004C), 30)
    adapter.StopDiscovery()
    began = note(steps, "beacon", began)
    assert int.from_bytes(bytes(data[20:22]), "big") == int(minor), data
    forget(path)
    print(json.dumps({"address": address, **steps}), flush=True)
