"""A virtual USB dongle: Bumble's controller with the features of a central that Bumble lacks."""

import asyncio
import dataclasses
import functools
import random

from bumble import hci, ll
from bumble.controller import Connection, Controller
from bumble.core import PhysicalTransport
from bumble.transport.common import Transport
from bumble.transport.unix import open_unix_client_transport

from .air import EVENT_UNIT, Air
from .chip import Chip

_Report = hci.HCI_LE_Advertising_Report_Event.Report
_Type = hci.HCI_LE_Advertising_Report_Event.EventType

# The connection events within which the first reply to a connection request must come (Core 6.0, Vol 6, Part B, 4.5.2).
# Otherwise the link layer reports error 0x3E.
EVENTS_TO_ESTABLISH = 6


@functools.lru_cache(maxsize=1024)
def _report(kind: int, address: hci.Address, data: bytes) -> bytes:
    """An advertising report without its last byte, the RSSI. Encoded once, because there are a thousand a second."""
    report = _Report(event_type=kind, address_type=address.address_type, address=address, data=data, rssi=0)
    return bytes(hci.HCI_LE_Advertising_Report_Event([report]))[:-1]


@dataclasses.dataclass
class AdapterSettings:
    address: str
    place: tuple[float, float] = (0.0, 0.0)
    connections: int = 5  # that the chip can hold at once: the common dongle
    # The reports that the chip treats as duplicates when the host asks it to filter them: "strict" (a second report of the
    # same kind about the same device, as in the specification), "by_data" (one with the same data), "none". `memory` is the
    # number of reports that it compares with; None means all since the scan began. `lab.chips` has names for them.
    duplicates: str = "strict"
    memory: int | None = None


class Adapter(Controller):
    is_adapter = True
    acl_data_packet_length = 251
    total_num_acl_data_packets = 8
    le_acl_data_packet_length = 251
    total_num_le_acl_data_packets = 8
    supported_max_tx_octets = 251
    supported_max_rx_octets = 251
    # A plain dongle of version 4.2. It has no extended advertising, which Bumble's reports do not support. It has no privacy in
    # the link layer: with it the kernel waits 4 s for the "enhanced" event of a connection, which Bumble never sends, and
    # each further connection waits, too.
    hci_version = hci.HCI_VERSION_BLUETOOTH_CORE_4_2
    lmp_version = hci.HCI_VERSION_BLUETOOTH_CORE_4_2
    le_features = (
        hci.LeFeatureMask.LE_ENCRYPTION
        | hci.LeFeatureMask.CONNECTION_PARAMETERS_REQUEST_PROCEDURE
        | hci.LeFeatureMask.EXTENDED_REJECT_INDICATION
        | hci.LeFeatureMask.PERIPHERAL_INITIATED_FEATURE_EXCHANGE
        | hci.LeFeatureMask.LE_PING
        | hci.LeFeatureMask.LE_DATA_PACKET_LENGTH_EXTENSION
    )

    def __init__(self, settings: AdapterSettings, air: Air, transport: Transport) -> None:
        self.settings = settings
        self.place = settings.place
        self.transport = transport
        self.accept_list: set[hci.Address] = set()
        self.reported: dict[tuple[hci.Address, int, bytes], None] = {}  # in order of age
        self.reports = 0
        self.deaf_until: str | None = None  # the end of its deafness: the end of a "scan", a "reset", or "never"
        self.chance = random.Random(settings.address)
        super().__init__(
            settings.address, transport.source, transport.sink, link=air,
            public_address=hci.Address(settings.address, hci.Address.PUBLIC_DEVICE_ADDRESS),
        )  # fmt: skip
        self.air = air

    @classmethod
    async def plug_in(cls, settings: AdapterSettings, air: Air, path: str) -> "Adapter":
        """Connects a dongle to the guest through the socket at `path`."""
        return cls(settings, air, await open_unix_client_transport(path))

    async def unplug(self) -> None:
        self.air.remove_controller(self)
        self.hci_sink = None
        await self.transport.close()

    def send_hci_packet(self, packet: hci.HCI_Packet) -> None:
        if self.host:
            self.host.on_packet(bytes(packet))

    # --- Receiving ---

    @property
    def is_listening(self) -> bool:
        return self.le_scan_enable or self.pending_le_connection is not None

    def receive(self, sensor: Chip, packet: ll.AdvertisingPdu, rssi: int) -> None:
        if self.deaf_until is not None or not isinstance(packet, ll.AdvInd | ll.AdvNonConnInd):
            return
        address = packet.advertiser_address
        connectable = isinstance(packet, ll.AdvInd)
        in_window = self.le_scan_enable and self.chance.random() * self.le_scan_interval <= self.le_scan_window
        if in_window and (not self.le_scanning_filter_policy & 1 or address in self.accept_list):
            self._send_report(_Type.ADV_IND if connectable else _Type.ADV_NONCONN_IND, address, packet.data, rssi)
            if connectable and self.le_scan_type == 1 and self._scan_request_succeeds(sensor):
                response = sensor.le_legacy_advertiser.scan_response_data
                self._send_report(_Type.SCAN_RSP, address, response, rssi)
        wanted = self.pending_le_connection
        if wanted is not None and connectable:
            by_list = wanted.initiator_filter_policy == 1
            if address in self.accept_list if by_list else address == wanted.peer_address:
                self._connect(sensor, address)

    def _scan_request_succeeds(self, sensor: Chip) -> bool:
        """Whether the scan request and its response, two more packets on the air, both arrive."""
        lost = (self.air.propagation.is_lost(self.air.rssi(sensor, self) + self.air.fade(), self.air.chance) for _ in range(2))
        return not any(lost)

    def _send_report(self, kind: int, address: hci.Address, data: bytes, rssi: int) -> None:
        if self.filter_duplicates and self.settings.duplicates != "none":
            key = (address, kind, data if self.settings.duplicates == "by_data" else b"")
            if key in self.reported:
                return
            if self.settings.memory is not None and len(self.reported) >= self.settings.memory:
                del self.reported[next(iter(self.reported))]
            self.reported[key] = None
        self.reports += 1
        if self.host:
            self.host.on_packet(_report(kind, address, data) + (rssi & 0xFF).to_bytes(1, "little"))

    def on_hci_le_set_scan_parameters_command(
        self, command: hci.HCI_LE_Set_Scan_Parameters_Command
    ) -> hci.HCI_StatusReturnParameters:
        if self.le_scan_enable:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        return super().on_hci_le_set_scan_parameters_command(command)

    def on_hci_le_set_scan_enable_command(self, command: hci.HCI_LE_Set_Scan_Enable_Command) -> hci.HCI_StatusReturnParameters:
        self.reported.clear()  # "Once per scan" counts from here, whether the scan is started or stopped.
        if self.deaf_until == "scan" and self.le_scan_enable and not command.le_scan_enable:
            self.deaf_until = None
        return super().on_hci_le_set_scan_enable_command(command)

    # --- Connecting ---

    def on_hci_le_create_connection_command(self, command: hci.HCI_LE_Create_Connection_Command) -> None:
        if len(self.le_connections) >= self.settings.connections:
            self._send_hci_command_status(hci.HCI_ErrorCode.CONNECTION_LIMIT_EXCEEDED_ERROR, command.op_code)
            return
        super().on_hci_le_create_connection_command(command)

    def on_hci_le_create_connection_cancel_command(
        self, _command: hci.HCI_LE_Create_Connection_Cancel_Command
    ) -> hci.HCI_StatusReturnParameters:
        wanted = self.pending_le_connection
        if wanted is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        self.pending_le_connection = None
        asyncio.get_running_loop().call_soon(
            self._complete, hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, 0, wanted.peer_address, (0, 0, 0)
        )
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def _complete(self, status: int, handle: int, peer: hci.Address, parameters: tuple[int, int, int]) -> None:
        self.send_hci_packet(
            hci.HCI_LE_Connection_Complete_Event(
                status=status,
                connection_handle=handle,
                role=hci.Role.CENTRAL,
                peer_address_type=peer.address_type,
                peer_address=peer,
                connection_interval=parameters[0],
                peripheral_latency=parameters[1],
                supervision_timeout=parameters[2],
                central_clock_accuracy=0,
            )
        )

    def _connect(self, sensor: Chip, peer: hci.Address) -> None:
        wanted = self.pending_le_connection
        assert isinstance(wanted, hci.HCI_LE_Create_Connection_Command)
        self.pending_le_connection = None
        own = self.public_address if wanted.own_address_type == hci.OwnAddressType.PUBLIC else self.random_address
        interval = (wanted.connection_interval_min + wanted.connection_interval_max) // 2
        request = ll.ConnectInd(own, peer, interval, wanted.max_latency, wanted.supervision_timeout)
        was_received = self.air.connect(self, sensor, request)
        connection = Connection(
            controller=self,
            handle=self.allocate_connection_handle(),
            role=hci.Role.CENTRAL,
            self_address=own,
            peer_address=peer,
            link=self.air,
            transport=PhysicalTransport.LE,
            link_type=hci.HCI_Connection_Complete_Event.LinkType.ACL,
        )
        self.le_connections[peer] = connection
        self._complete(
            hci.HCI_ErrorCode.SUCCESS, connection.handle, peer,
            (interval, wanted.max_latency, wanted.supervision_timeout),
        )  # fmt: skip
        if not was_received:
            timeout = EVENTS_TO_ESTABLISH * interval * EVENT_UNIT
            asyncio.get_running_loop().call_later(timeout, self._give_up, connection)

    def _give_up(self, connection: Connection) -> None:
        if self.le_connections.get(connection.peer_address) is connection:
            self.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR)

    # --- The accept list, which Bumble does not implement ---

    def on_hci_le_clear_filter_accept_list_command(
        self, command: hci.HCI_LE_Clear_Filter_Accept_List_Command
    ) -> hci.HCI_StatusReturnParameters:
        self.accept_list.clear()
        return super().on_hci_le_clear_filter_accept_list_command(command)

    def on_hci_le_add_device_to_filter_accept_list_command(
        self, command: hci.HCI_LE_Add_Device_To_Filter_Accept_List_Command
    ) -> hci.HCI_StatusReturnParameters:
        if len(self.accept_list) >= self.filter_accept_list_size:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.MEMORY_CAPACITY_EXCEEDED_ERROR)
        self.accept_list.add(command.address)
        return super().on_hci_le_add_device_to_filter_accept_list_command(command)

    def on_hci_le_remove_device_from_filter_accept_list_command(
        self, command: hci.HCI_LE_Remove_Device_From_Filter_Accept_List_Command
    ) -> hci.HCI_StatusReturnParameters:
        self.accept_list.discard(command.address)
        return super().on_hci_le_remove_device_from_filter_accept_list_command(command)

    # --- Reset, which Bumble confirms and does not carry out ---

    def on_hci_reset_command(self, command: hci.HCI_Reset_Command) -> hci.HCI_StatusReturnParameters:
        for link in list(self.air.links):
            if link.central is self:
                link.lose()
        self.le_connections.clear()
        self.pending_le_connection = None
        self.le_scan_enable = False
        self.accept_list.clear()
        self.reported.clear()
        if self.deaf_until == "reset":
            self.deaf_until = None
        return super().on_hci_reset_command(command)
