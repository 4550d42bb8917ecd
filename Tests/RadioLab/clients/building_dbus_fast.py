"""dbus-fast alone for building_script.py: calls and signals of org.bluez, and no other library in between."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

DEVICE, CHARACTERISTIC = "org.bluez.Device1", "org.bluez.GattCharacteristic1"
CONNECT_TIMEOUT = 10  # s
OWN_END = 1  # s: how long a sensor may take to end the link itself

Receive = Callable[[str, int, Any, dict[int, bytes]], None]


class CallError(Exception):
    pass


def _parent(path: str, parts: int) -> str:
    """`/org/bluez/hci0` has four parts, the path of a device five."""
    return "/".join(path.split("/")[:parts])


class Device:
    """What is known of an object of org.bluez."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.properties: dict[str, Any] = {}
        self.characteristics: dict[str, str] = {}  # the paths, by UUID
        self.changed = asyncio.Event()

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self.changed.clear()
            await self.changed.wait()

    @property
    def address(self) -> str:
        return self.path[-17:].replace("_", ":")

    def has(self, attributes: tuple[str, ...]) -> bool:
        return bool(self.properties.get("ServicesResolved")) and self.characteristics.keys() >= set(attributes)


class Link:
    def __init__(self, stack: "Stack", device: Device) -> None:
        (self.stack, self.device) = (stack, device)

    async def _call(self, attribute: str, member: str, signature: str = "", *body: Any) -> list[Any]:
        return await self.stack.call(self.device.characteristics[attribute], CHARACTERISTIC, member, signature, *body)

    async def subscribe(self, attribute: str, receive: Callable[[bytes], None]) -> None:
        self.stack.subscribers[self.device.characteristics[attribute]] = receive
        await self._call(attribute, "StartNotify")

    async def read(self, attribute: str) -> bytes:
        return bytes((await self._call(attribute, "ReadValue", "a{sv}", {}))[0])

    async def write(self, attribute: str, value: bytes) -> None:
        await self._call(attribute, "WriteValue", "aya{sv}", value, {"type": Variant("s", "request")})

    async def end(self) -> None:
        device = self.device
        try:
            async with asyncio.timeout(OWN_END):
                await device.until(lambda: not device.properties.get("Connected"))
        except TimeoutError:
            await self.stack.call(device.path, DEVICE, "Disconnect")
        for path in device.characteristics.values():
            self.stack.subscribers.pop(path, None)


class Stack:
    failures = (CallError,)

    def __init__(self, attributes: tuple[str, ...]) -> None:
        self.attributes = attributes
        self.bus: MessageBus | None = None
        self.opening = asyncio.Lock()
        self.devices: dict[str, Device] = {}
        self.subscribers: dict[str, Callable[[bytes], None]] = {}
        self.scans: dict[str, Receive] = {}  # by the path of the adapter

    async def call(self, path: str, interface: str, member: str, signature: str = "", *body: Any) -> list[Any]:
        assert self.bus
        name = "org.bluez" if interface.startswith("org.bluez") else interface
        reply = await self.bus.call(
            Message(destination=name, path=path, interface=interface, member=member, signature=signature, body=list(body))
        )
        if reply.message_type == MessageType.ERROR:
            raise CallError(f"{member}: {reply.error_name} {reply.body}")
        return reply.body

    # --- Signals ---

    def _take(self, message: Message) -> None:
        if message.message_type != MessageType.SIGNAL:
            return
        if message.member == "PropertiesChanged":
            interface, changed, _ = message.body
            if interface == DEVICE:
                self._changed(message.path or "", changed)
            elif interface == CHARACTERISTIC and "Value" in changed and (receive := self.subscribers.get(message.path or "")):
                receive(bytes(changed["Value"].value))
        elif message.member == "InterfacesAdded":
            path, interfaces = message.body
            if DEVICE in interfaces:
                self._changed(path, interfaces[DEVICE])
            elif CHARACTERISTIC in interfaces and (device := self.devices.get(_parent(path, 5))):
                device.characteristics[interfaces[CHARACTERISTIC]["UUID"].value] = path
                device.changed.set()
        elif message.member == "InterfacesRemoved":
            path, names = message.body
            if DEVICE in names and (device := self.devices.pop(path, None)):
                device.properties["Connected"] = False
                device.changed.set()
            elif CHARACTERISTIC in names and (device := self.devices.get(_parent(path, 5))):
                device.characteristics = {uuid: own for uuid, own in device.characteristics.items() if own != path}

    def _changed(self, path: str, changed: dict[str, Variant]) -> None:
        device = self.devices.setdefault(path, Device(path))
        device.properties.update({name: variant.value for name, variant in changed.items()})
        device.changed.set()
        if "RSSI" in changed and (receive := self.scans.get(_parent(path, 4))):
            data = device.properties.get("ManufacturerData", {})
            receive(device.address, changed["RSSI"].value, device, {company: value.value for company, value in data.items()})

    # --- Calls ---

    async def start_scan(self, adapter: str, receive: Receive) -> None:
        path = f"/org/bluez/{adapter}"
        self.scans[path] = receive
        async with self.opening:
            if self.bus is None:
                self.bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
                self.bus.add_message_handler(self._take)
                rule = "type='signal',sender='org.bluez'"
                await self.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", "s", rule)
        options = {"Transport": Variant("s", "le"), "DuplicateData": Variant("b", True)}
        await self.call(path, "org.bluez.Adapter1", "SetDiscoveryFilter", "a{sv}", options)
        await self.call(path, "org.bluez.Adapter1", "StartDiscovery")

    async def stop_scan(self) -> None:
        paths = list(self.scans)
        self.scans.clear()
        await asyncio.gather(*(self.call(path, "org.bluez.Adapter1", "StopDiscovery") for path in paths))

    async def connect(self, device: Device, _name: str) -> Link:
        link = Link(self, device)
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                await self.call(device.path, DEVICE, "Connect")
                await device.until(lambda: device.has(self.attributes))
        except BaseException:
            # Otherwise the adapter goes on connecting to a device that does not respond.
            with contextlib.suppress(CallError):
                await self.call(device.path, DEVICE, "Disconnect")
            raise
        return link
