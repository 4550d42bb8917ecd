"""A plain client that is not ours: provisions sensors one after the other over D-Bus, and prints how long each step
took. It is what the lab is tried out with: `provision.py ADAPTER ADDRESS=MINOR…`."""

import json
import sys
import time

import dbus

ADAPTER, ORDERS = sys.argv[1], [order.split("=") for order in sys.argv[2:]]
PREFIX = "12345678-9abc-def0-1234-00000000000"
bus = dbus.SystemBus()


def on(path, interface):
    return dbus.Interface(bus.get_object("org.bluez", path), f"org.bluez.{interface}")


def objects():
    manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")
    return manager.GetManagedObjects()


def until(what, condition, patience):
    end = time.monotonic() + patience
    while not (result := condition()):
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)
    return result


def find(address):
    for path, interfaces in objects().items():
        if path.startswith(base + "/") and interfaces.get("org.bluez.Device1", {}).get("Address") == address:
            return path
    return None


def device(path):
    return objects().get(path, {}).get("org.bluez.Device1", {})


def characteristics(path):
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



def forget(path):
    try:
        adapter.RemoveDevice(path)
    except dbus.DBusException:
        pass  # BlueZ has done so itself.


for address, minor in ORDERS:
    steps, began = {}, time.monotonic()

    def step(name):
        global began
        steps[name] = round(time.monotonic() - began, 3)
        began = time.monotonic()

    adapter.SetDiscoveryFilter({"Transport": "le", "DuplicateData": True})
    adapter.StartDiscovery()
    path = until("the sensor", lambda: find(address), 20)
    adapter.StopDiscovery()
    step("found")
    on(path, "Device1").Connect(timeout=30)
    step("connected")
    table = until("its characteristics", lambda: characteristics(path), 20)
    step("resolved")
    on(table["7"], "GattCharacteristic1").StartNotify()
    step("subscribed")
    for name, value in (("2", b"Office"), ("3", b"correct horse"), ("4", b"Room " + minor.encode()),
                        ("5", int(minor).to_bytes(2, "big")), ("6", b"SAVE")):  # fmt: skip
        on(table[name], "GattCharacteristic1").WriteValue(value, {"type": "request"})
    step("written")
    until("its disconnection", lambda: not device(path).get("Connected"), 10)
    step("disconnected")
    forget(path)
    adapter.StartDiscovery()
    data = until("its iBeacon", lambda: device(path).get("ManufacturerData", {}).get(0x004C), 30)
    adapter.StopDiscovery()
    step("beacon")
    assert int.from_bytes(bytes(data[20:22]), "big") == int(minor), data
    forget(path)
    print(json.dumps({"address": address, **steps}), flush=True)
