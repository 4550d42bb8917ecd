"""Carries out steps with a device: `steps.py ADAPTER ADDRESS STEP…`. Prints one line of JSON for each step, with the time of
its end and any failure, and for each signal about the device and the adapter. A step that fails or takes too long does not end
the program. The steps, with their time limits in s:

    scan  stop-scan          StartDiscovery, StopDiscovery
    receive=20               until the device is reported
    changes=20               until manufacturer data is reported that this run has not seen
    connect=60  disconnect   Connect, Disconnect; each until its reply
    begin-connect            Connect, without waiting for its reply, which is a line of its own
    agent=CAPABILITY:ANSWER  registers an agent of this client (pairing_agent.py); each question is a line of its own
    pair=60  begin-pair      Pair, as Connect
    cancel-pairing           CancelPairing
    state                    its Address, Paired and Bonded
    power-off                Set of the adapter's Powered
    resolved=20  gone=20     until its services are resolved; until it is disconnected
    vanished=60              until BlueZ has removed its object
    write=UUID:HEX:request   or :command; until its reply
    read=UUID or UUID:60     with a time limit
    begin-read=UUID          without waiting for its reply
    forget                   RemoveDevice
    wait=2"""

import importlib
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
began = time.monotonic()
base = next(
    path for path, interfaces in manager.GetManagedObjects().items()
    if interfaces.get("org.bluez.Adapter1", {}).get("Address") == sys.argv[1]
)  # fmt: skip
adapter = dbus.Interface(bus.get_object("org.bluez", base), "org.bluez.Adapter1")
path = f"{base}/dev_{sys.argv[2].replace(':', '_')}"
device = dbus.Interface(bus.get_object("org.bluez", path, introspect=False), "org.bluez.Device1")

reports: list[float] = []  # the times of the reports
payloads: set[str] = set()  # the manufacturer data that was reported
latest = ""
state: dict[str, bool] = {}
agent: Any = None


def say(**words: Any) -> None:
    print(json.dumps({"at": round(time.monotonic() - began, 3), **words}), flush=True)


def plain(value: Any) -> Any:
    if isinstance(value, dbus.Array) and value.signature == "y":
        return bytes(value).hex()
    if isinstance(value, dict):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return bool(value) if isinstance(value, dbus.Boolean) else int(value) if isinstance(value, int) else str(value)


def happened(kind: str, properties: dict[str, Any]) -> None:
    global latest
    if "RSSI" in properties:
        reports.append(time.monotonic())
    if "ManufacturerData" in properties:
        latest = json.dumps(plain(properties["ManufacturerData"]))
    for name in ("Connected", "ServicesResolved"):
        if name in properties:
            state[name] = bool(properties[name])
    skipped = ("Address", "AddressType", "Adapter", "Alias", "Paired", "Bonded", "Trusted", "Blocked", "LegacyPairing")
    say(signal=kind, **{str(name): plain(value) for name, value in properties.items() if name not in skipped})


def changed(interface: str, properties: dict[str, Any], invalidated: list[str], path: str) -> None:
    if interface == "org.bluez.Device1":
        happened("changed", dict(properties) | ({"invalidated": list(map(str, invalidated))} if invalidated else {}))


def adapter_changed(interface: str, properties: dict[str, Any], invalidated: list[str]) -> None:
    if interface == "org.bluez.Adapter1":
        say(adapter={str(name): plain(value) for name, value in properties.items()})


def added(place: str, interfaces: dict[str, Any]) -> None:
    if place == path and "org.bluez.Device1" in interfaces:
        state["there"] = True
        happened("added", interfaces["org.bluez.Device1"])


def removed(place: str, interfaces: dict[str, Any]) -> None:
    if place == path and "org.bluez.Device1" in interfaces:
        state.clear()
        say(signal="removed")


bus.add_signal_receiver(
    changed, "PropertiesChanged", "org.freedesktop.DBus.Properties", "org.bluez", path=path, path_keyword="path"
)
bus.add_signal_receiver(adapter_changed, "PropertiesChanged", "org.freedesktop.DBus.Properties", "org.bluez", path=base)
bus.add_signal_receiver(added, "InterfacesAdded", "org.freedesktop.DBus.ObjectManager", "org.bluez")
bus.add_signal_receiver(removed, "InterfacesRemoved", "org.freedesktop.DBus.ObjectManager", "org.bluez")


def until(condition: Callable[[], Any], timeout: float) -> str | None:
    """Waits for the condition, and handles signals meanwhile so that each has its true time."""
    end = time.monotonic() + timeout
    GLib.timeout_add(int(timeout * 1000) + 1, lambda: False)
    while not condition() and time.monotonic() < end:
        context.iteration(True)
    return None if condition() else f"not so after {timeout} s"


def named(error: Any) -> str:
    return f"{error.get_dbus_name()}: {error.get_dbus_message()}"


def call(method: Callable[..., Any], *arguments: Any, timeout: float = 60.0) -> tuple[str | None, tuple[Any, ...]]:
    answers: list[tuple[str | None, tuple[Any, ...]]] = []
    method(
        *arguments, timeout=600, reply_handler=lambda *values: answers.append((None, values)),
        error_handler=lambda error: answers.append((named(error), ())),
    )  # fmt: skip
    late = until(lambda: answers, timeout)
    return (late, ()) if late else answers[0]


def begin(name: str, method: Callable[..., Any], *arguments: Any) -> None:
    """Calls a method; its reply is a line of its own."""
    method(
        *arguments, timeout=600, reply_handler=lambda *_values: say(reply=name),
        error_handler=lambda error: say(reply=name, failure=named(error)),
    )  # fmt: skip


def characteristic(uuid: str) -> Any:
    for place, interfaces in manager.GetManagedObjects().items():
        if place.startswith(path + "/") and interfaces.get("org.bluez.GattCharacteristic1", {}).get("UUID") == uuid:
            return dbus.Interface(bus.get_object("org.bluez", place), "org.bluez.GattCharacteristic1")
    return None


def take(step: str, detail: str) -> str | None:
    global latest
    if step == "scan":
        call(adapter.SetDiscoveryFilter, {"Transport": "le", "DuplicateData": True})
        return call(adapter.StartDiscovery)[0]
    if step == "stop-scan":
        return call(adapter.StopDiscovery)[0]
    if step == "receive":
        already = len(reports)
        return until(lambda: len(reports) > already, float(detail))
    if step == "changes":
        failure = until(lambda: latest and latest not in payloads, float(detail))
        payloads.add(latest)
        return failure
    if step == "connect":
        return call(device.Connect, timeout=float(detail))[0]
    if step == "begin-connect":
        begin("connect", device.Connect)
        return None
    if step == "agent":
        global agent
        capability, _, answer = detail.partition(":")
        # It may be another program, too.
        agent = importlib.import_module("pairing_agent").register(bus, capability, answer, say)
        return None
    if step == "pair":
        return call(device.Pair, timeout=float(detail))[0]
    if step == "begin-pair":
        begin("pair", device.Pair)
        return None
    if step == "cancel-pairing":
        return call(device.CancelPairing)[0]
    if step == "state":
        properties = dbus.Interface(bus.get_object("org.bluez", path, introspect=False), "org.freedesktop.DBus.Properties")
        failure, values = call(properties.GetAll, "org.bluez.Device1")
        if failure is None:
            # 5.66 has Bonded, earlier ones do not.
            say(state={name: plain(values[0][name]) for name in ("Address", "Paired", "Bonded") if name in values[0]})
        return failure
    if step == "power-off":
        properties = dbus.Interface(bus.get_object("org.bluez", base), "org.freedesktop.DBus.Properties")
        return call(properties.Set, "org.bluez.Adapter1", "Powered", False)[0]
    if step == "disconnect":
        return call(device.Disconnect)[0]
    if step == "resolved":
        return until(lambda: state.get("ServicesResolved"), float(detail))
    if step == "gone":
        return until(lambda: not state.get("Connected"), float(detail))
    if step == "vanished":
        return until(lambda: not state.get("there"), float(detail))
    if step == "forget":
        return call(adapter.RemoveDevice, dbus.ObjectPath(path))[0]
    if step == "wait":
        until(lambda: False, float(detail))
        return None
    uuid, *rest = detail.split(":")
    if until(lambda: characteristic(uuid), 5):
        return "there is no such characteristic"
    if step == "begin-read":
        begin("read", characteristic(uuid).ReadValue, {})
        return None
    if step == "read":
        failure, values = call(characteristic(uuid).ReadValue, {}, timeout=float(rest[0]) if rest else 60.0)
        say(value=bytes(values[0]).hex() if values else None)
        return failure
    if step == "write":
        return call(characteristic(uuid).WriteValue, bytes.fromhex(rest[0]), {"type": rest[1]})[0]
    sys.exit(f"unknown step: {step}")


for one in sys.argv[3:]:
    name, _, detail = one.partition("=")
    start = time.monotonic()
    failure = take(name, detail)
    say(step=one, took=round(time.monotonic() - start, 3), **({"failure": failure} if failure else {}))
