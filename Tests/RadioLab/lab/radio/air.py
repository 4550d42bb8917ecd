"""The medium between adapters and sensors: reception, signal strength and delay.

Bumble's own link delivers every packet to all controllers at once. This one has positions, so that each adapter receives each
sensor with its own strength. It has fading and loss. A link carries data only at its connection events."""

import asyncio
import collections
import dataclasses
import math
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, cast

from bumble import core, hci, ll
from bumble import link as bumble_link
from bumble.controller import Controller

if TYPE_CHECKING:
    from .adapter import Adapter
    from .chip import Chip

    End: TypeAlias = Adapter | Chip

EVENT_UNIT = 0.00125  # s, the unit of connection intervals
PACKETS_PER_EVENT = 4  # the capacity of a small chip in each direction


@dataclasses.dataclass
class Propagation:
    """How signals weaken: the usual log-distance law."""

    at_one_metre: float = -59  # dBm
    exponent: float = 2.2
    shadowing: float = 3  # dB, standard deviation, constant between two positions: walls and furniture
    fading: float = 2  # dB, standard deviation, of each packet
    half_lost: float = -93  # dBm at which every second packet is lost
    spread: float = 1.6  # dB, the width of the transition from received to lost
    loss: float = 0.01  # of all packets, however strong

    def strength(self, distance: float) -> float:
        return self.at_one_metre - 10 * self.exponent * math.log10(max(distance, 0.1))

    def is_lost(self, rssi: float, chance: random.Random) -> bool:
        reach = (rssi - self.half_lost) / self.spread
        weak = 0.0 if reach > 30 else 1 / (1 + math.exp(min(reach, 700)))
        return chance.random() < self.loss + (1 - self.loss) * weak


class Link:
    """A connection on the air. It carries data at its connection events, in order."""

    def __init__(
        self, air: "Air", central: "Adapter", peripheral: "Chip", addresses: tuple[hci.Address, hci.Address], interval: float
    ) -> None:
        self.air = air
        self.central = central
        self.peripheral = peripheral
        self.central_address, self.peripheral_address = addresses
        self.interval = interval  # s
        self.anchor = air.now() + interval
        self.supervision_timeout = 0.42  # s
        self.is_up = True
        self._next: dict[End, float] = {central: 0.0, peripheral: 0.0}
        self._in_event: dict[End, int] = {central: 0, peripheral: 0}
        # By sender, in the order of sending: asyncio's timers of one time may run in any order.
        self._on_air: dict[End, collections.deque[Callable[[], None]]] = {
            end: collections.deque() for end in (central, peripheral)
        }

    def other(self, end: "End") -> "End":
        return self.peripheral if end is self.central else self.central

    def address(self, end: "End") -> hci.Address:
        return self.central_address if end is self.central else self.peripheral_address

    def carry(self, sender: "End", deliver: Callable[[], None]) -> None:
        """Delivers at the next connection event with free capacity that does not lose the packet."""
        now = self.air.now()
        earliest = max(now, self._next[sender])
        events = max(0, math.ceil((earliest - self.anchor) / self.interval - 1e-6))
        at = self.anchor + events * self.interval
        if at == self._next[sender]:
            self._in_event[sender] += 1
            if self._in_event[sender] >= PACKETS_PER_EVENT:
                at += self.interval
                self._in_event[sender] = 0
        else:
            self._in_event[sender] = 0
        rssi = self.air.rssi(self.peripheral, self.central)
        while self.air.propagation.is_lost(rssi + self.air.fade(), self.air.chance):
            at += self.interval
            if at - now > self.supervision_timeout * 4:
                self.lose()
                return
        self._next[sender] = at
        late = self.peripheral.lateness if sender is self.peripheral else 0.0
        self._on_air[sender].append(deliver)
        self.air.loop.call_later(max(0.0, at - now) + late, self._arrive, sender)

    def _arrive(self, sender: "End") -> None:
        deliver = self._on_air[sender].popleft()
        if self.is_up:
            deliver()

    def lose(self) -> None:
        """Neither end receives the other any more. Each notices when its supervision timer expires."""
        if self.is_up:
            self.is_up = False
            self.air.loop.call_later(self.supervision_timeout, self.air.take_down, self)


class Air(bumble_link.LocalLink):
    """The air of a building. The seed determines the walls; `chance` determines fading and loss."""

    def __init__(self, propagation: Propagation, seed: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.propagation = propagation
        self.seed = seed
        self.chance = random.Random(seed)
        self.loop = asyncio.get_running_loop()
        self.adapters: dict[hci.Address, Adapter] = {}
        self.sensors: dict[hci.Address, Chip] = {}
        self.links: list[Link] = []
        self._strengths: dict[tuple[bytes, bytes], float] = {}

    def now(self) -> float:
        return self.loop.time()

    # --- Controllers ---

    def add_controller(self, controller: Controller) -> None:
        super().add_controller(controller)
        if getattr(controller, "is_adapter", False):
            self.adapters[controller.public_address] = cast("Adapter", controller)
        else:
            self.sensors[controller.public_address] = cast("Chip", controller)

    def remove_controller(self, controller: Controller) -> None:
        """Removes a controller without a disconnect: battery out, dongle unplugged, firmware restarted."""
        self.controllers.discard(controller)
        address = controller.public_address
        if self.adapters.get(address) is controller:
            del self.adapters[address]
        if self.sensors.get(address) is controller:
            del self.sensors[address]
        for link in list(self.links):
            if controller in (link.central, link.peripheral):
                link.lose()

    # --- Strength ---

    def rssi(self, sensor: "Chip", adapter: "Adapter") -> float:
        """The steady strength of a sensor at an adapter, in dBm."""
        key = (bytes(sensor.public_address), bytes(adapter.public_address))
        known = self._strengths.get(key)
        if known is None:
            ordered = sensor.strengths.get(str(adapter.public_address))
            if ordered is not None:
                known = float(ordered)
            else:
                walls = random.Random(f"{self.seed} {key[0].hex()} {key[1].hex()}").gauss(0, self.propagation.shadowing)
                known = self.propagation.strength(math.dist(sensor.place, adapter.place)) + walls
            self._strengths[key] = known
        return known + sensor.power

    def forget_strengths(self) -> None:
        """Discards the computed strengths after a change of position."""
        self._strengths.clear()

    def fade(self) -> float:
        return self.chance.gauss(0, self.propagation.fading)

    # --- Advertising ---

    def send_advertising_pdu(self, sender: Controller, packet: ll.AdvertisingPdu) -> None:
        sensor = cast("Chip", sender)  # Only devices advertise.
        for adapter in list(self.adapters.values()):
            if adapter.is_listening:
                rssi = self.rssi(sensor, adapter) + self.fade()
                if not self.propagation.is_lost(rssi, self.chance):
                    adapter.receive(sensor, packet, max(-127, min(20, round(rssi))))

    # --- Connections ---

    def connect(self, central: "Adapter", peripheral: "Chip", packet: ll.ConnectInd) -> bool:
        """Whether the sensor received the request and accepted it."""
        rssi = self.rssi(peripheral, central) + self.fade()
        if self.propagation.is_lost(rssi, self.chance) or not peripheral.accepts_connections:
            return False
        addresses = (packet.initiator_address, packet.advertiser_address)
        link = Link(self, central, peripheral, addresses, packet.interval * EVENT_UNIT)
        link.supervision_timeout = packet.timeout * 0.01
        self.links.append(link)
        self.loop.call_soon(peripheral.on_ll_advertising_pdu, packet)
        return True

    def link(self, one: "End", other: hci.Address) -> Link | None:
        for link in reversed(self.links):
            if link.is_up and one in (link.central, link.peripheral) and link.address(link.other(one)) == other:
                return link
        return None

    def take_down(self, link: Link) -> None:
        if link in self.links:
            self.links.remove(link)
        for end in (link.central, link.peripheral):
            connection = end.le_connections.get(link.address(link.other(end)))
            if connection is not None and end in self.controllers:
                end.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)

    def send_acl_data(
        self, sender_controller: Controller, destination_address: hci.Address, transport: core.PhysicalTransport, data: bytes
    ) -> None:
        sender = cast("End", sender_controller)
        link = self.link(sender, destination_address)
        if link is not None:
            source = link.address(sender)
            receiver = link.other(sender)
            link.carry(sender, lambda: receiver.on_link_acl_data(source, transport, data))

    def send_ll_control_pdu(self, sender_address: hci.Address, receiver_address: hci.Address, packet: ll.ControlPdu) -> None:
        sender = self.adapters.get(sender_address) or self.sensors.get(sender_address)
        link = self.link(sender, receiver_address) if sender else None
        if link is None or sender is None:
            return
        receiver = link.other(sender)

        def deliver() -> None:
            if isinstance(packet, ll.TerminateInd):
                link.is_up = False
                if link in self.links:
                    self.links.remove(link)
            elif isinstance(packet, ll.ConnectionUpdateInd):
                link.interval = packet.interval * EVENT_UNIT
                link.anchor = self.now()
                link.supervision_timeout = packet.timeout * 0.01
            if sender_address in receiver.le_connections:
                receiver.on_ll_control_pdu(sender_address, packet)

        link.carry(sender, deliver)
