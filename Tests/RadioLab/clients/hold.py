"""Connects to one sensor after the other and keeps each link, to measure the slots: `hold.py ADAPTER ADDRESS…`. An attempt
whose object BlueZ removes is over for it, even if `Connect` has not returned."""

import sys
import threading
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


def connect(path: str, answer: list[str]) -> None:
    try:
        own = dbus.SystemBus(private=True)
        dbus.Interface(own.get_object("org.bluez", path), "org.bluez.Device1").Connect(timeout=40)
        answer.append("connected")
    except dbus.DBusException as error:
        answer.append(f"{error.get_dbus_name()}: {error.get_dbus_message()}")


for address in sys.argv[2:]:
    if address not in (known := devices()):
        print(f"{address} has no object", flush=True)
        continue
    began, answer = time.monotonic(), list[str]()
    call = threading.Thread(target=connect, args=(known[address], answer), daemon=True)
    call.start()
    removed = None
    while call.is_alive() and (removed is None or time.monotonic() - removed < 10):
        if removed is None and address not in devices():
            removed = time.monotonic()
        call.join(0.02)
    line = f"{address} {time.monotonic() - began:6.2f} s  {answer[0] if answer else 'no reply'}"
    print(line + (f"; its object was removed after {removed - began:.2f} s" if removed else ""), flush=True)
for path in devices().values():
    try:
        adapter.RemoveDevice(path)
    except dbus.DBusException:
        pass
