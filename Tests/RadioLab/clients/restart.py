"""Records the signals of an orderly restart of bluetoothd: `restart.py ADAPTER ADDRESS…`. Connects to the sensors, starts
discovery, restarts bluetoothd, and prints one line of JSON for each signal and for each step of the restart, with the
seconds since SIGTERM."""

import json
import subprocess
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
seen: list[tuple[float, str, str]] = []


def note(what: str, path: str = "") -> None:
    seen.append((time.monotonic(), what, str(path)))


def changed(interface: str, changes: dict[str, Any], _invalidated: list[str], path: str) -> None:
    for name in ("Connected", "ServicesResolved", "Powered", "Discovering"):
        if name in changes:
            note(f"{name} {'true' if changes[name] else 'false'}", path)


def removed(path: str, interfaces: dict[str, Any]) -> None:
    for kind in ("Device1", "Adapter1"):
        if f"org.bluez.{kind}" in interfaces:
            note(f"{kind} removed" + (" (connected)" if path in wanted else ""), path)


def added(path: str, interfaces: dict[str, Any]) -> None:
    for kind in ("Device1", "Adapter1"):
        if f"org.bluez.{kind}" in interfaces:
            note(f"{kind} added", path)


def owner(_name: str, _old: str, new: str) -> None:
    note("org.bluez has an owner" if new else "org.bluez has no owner")


objects = "org.freedesktop.DBus.ObjectManager"
bus.add_signal_receiver(changed, "PropertiesChanged", "org.freedesktop.DBus.Properties", path_keyword="path")
bus.add_signal_receiver(removed, "InterfacesRemoved", objects)
bus.add_signal_receiver(added, "InterfacesAdded", objects)
bus.add_signal_receiver(owner, "NameOwnerChanged", "org.freedesktop.DBus", arg0="org.bluez")


def until(condition: Callable[[], Any], timeout: float) -> Any:
    end = time.monotonic() + timeout
    GLib.timeout_add(20, lambda: time.monotonic() < end)
    while not condition() and time.monotonic() < end:
        context.iteration(True)
    return condition()


base = next(
    path for path, interfaces in manager.GetManagedObjects().items()
    if interfaces.get("org.bluez.Adapter1", {}).get("Address") == sys.argv[1]
)  # fmt: skip
adapter = dbus.Interface(bus.get_object("org.bluez", base), "org.bluez.Adapter1")
wanted = [f"{base}/dev_{address.replace(':', '_')}" for address in sys.argv[2:]]
adapter.SetDiscoveryFilter({"Transport": "le"})
adapter.StartDiscovery()
until(lambda: set(wanted) <= {path for _, what, path in seen if what == "Device1 added"}, 20)
adapter.StopDiscovery()
for path in wanted:
    dbus.Interface(bus.get_object("org.bluez", path), "org.bluez.Device1").Connect(timeout=40)
until(lambda: sum(what == "ServicesResolved true" for _, what, _ in seen) >= len(wanted), 20)
adapter.StartDiscovery()
until(lambda: False, 1)

seen.clear()
began = time.monotonic()
restart = subprocess.Popen(["/lab/bluetoothd", "restart"])
until(lambda: restart.poll() is not None and any(what == "Powered true" for _, what, _ in seen), 30)
until(lambda: False, 1)
for at, what, path in seen:
    print(json.dumps({"s": round(at - began, 3), "what": what, "path": path}))
