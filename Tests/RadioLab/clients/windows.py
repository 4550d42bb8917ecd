"""Measures the cost of discovery before a connection, in seconds: `windows.py ADAPTER MODE ADDRESS…`. Prints one line of JSON
for each sensor. MODE is the time of `Connect`: `at_once` after StopDiscovery, `later` (2 s), or while `discovering`."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
manager = dbus.Interface(bus.get_object("org.bluez", "/"), "org.freedesktop.DBus.ObjectManager")
context = GLib.MainContext.default()
base = next(
    path for path, interfaces in manager.GetManagedObjects().items()
    if interfaces.get("org.bluez.Adapter1", {}).get("Address") == sys.argv[1]
)  # fmt: skip
adapter = dbus.Interface(bus.get_object("org.bluez", base), "org.bluez.Adapter1")
heard: dict[str, float] = {}


def reported(path: str, properties: dict[str, Any]) -> None:
    if "RSSI" in properties:
        heard.setdefault(str(path), time.monotonic())


bus.add_signal_receiver(
    lambda interface, changes, _invalidated, path: reported(path, changes),
    "PropertiesChanged", "org.freedesktop.DBus.Properties", "org.bluez", path_keyword="path",
)  # fmt: skip
bus.add_signal_receiver(
    lambda path, interfaces: reported(path, interfaces.get("org.bluez.Device1", {})),
    "InterfacesAdded", "org.freedesktop.DBus.ObjectManager", "org.bluez",
)  # fmt: skip


def until(condition: Callable[[], Any], timeout: float) -> Any:
    """Waits for the condition, and handles signals meanwhile so that each has its true time."""
    end = time.monotonic() + timeout
    GLib.timeout_add(int(timeout * 1000) + 1, lambda: False)
    while not condition() and time.monotonic() < end:
        context.iteration(True)
    return condition()


def call(method: Callable[..., Any], *arguments: Any, timeout: float = 60.0) -> tuple[float, str | None]:
    """The seconds until the reply, and the error if it was one."""
    answers: list[tuple[float, str | None]] = []
    began = time.monotonic()
    method(
        *arguments, timeout=timeout, reply_handler=lambda *_: answers.append((time.monotonic() - began, None)),
        error_handler=lambda error: answers.append((time.monotonic() - began, error.get_dbus_name())),
    )  # fmt: skip
    until(lambda: answers, timeout + 5)
    return answers[0] if answers else (time.monotonic() - began, "no reply")


for address in sys.argv[3:]:
    path, took = f"{base}/dev_{address.replace(':', '_')}", {}
    heard.clear()
    began = time.monotonic()
    call(adapter.SetDiscoveryFilter, {"Transport": "le", "DuplicateData": True, "RSSI": dbus.Int16(-127)})
    took["start"], _ = call(adapter.StartDiscovery)
    until(lambda: heard, 20)
    took["first_report"] = min(heard.values()) - began
    until(lambda: path in heard, 20)
    took["its_report"] = heard[path] - began
    if sys.argv[2] != "discovering":
        took["stop"], _ = call(adapter.StopDiscovery)
    if sys.argv[2] == "later":
        until(lambda: False, 2)
    device = dbus.Interface(bus.get_object("org.bluez", path), "org.bluez.Device1")
    took["connect"], error = call(device.Connect)
    if sys.argv[2] == "discovering":
        took["stop"], _ = call(adapter.StopDiscovery)
    took["disconnect"], _ = call(device.Disconnect)
    call(adapter.RemoveDevice, path)
    print(json.dumps({name: round(value, 3) for name, value in took.items()} | ({"error": error} if error else {})), flush=True)
