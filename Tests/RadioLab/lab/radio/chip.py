"""A sensor's radio: Bumble's controller as a peripheral, with the two kinds of advertising that a sensor needs."""

import asyncio

from bumble import hci, ll
from bumble.controller import Controller, LegacyAdvertiser

from .air import Air

_SLOT = 0.000625  # s, the unit of advertising intervals
_DELAY = 0.010  # s, at most: advertisers add a random delay, so that no two collide repeatedly (Core 6.0, Vol 6 B 4.4.2.2)
_NOT_CONNECTABLE = hci.HCI_LE_Set_Advertising_Parameters_Command.AdvertisingType.ADV_NONCONN_IND


class _Advertiser(LegacyAdvertiser):
    controller: "Chip"

    def _on_timer_fired(self) -> None:
        self.send_advertising_data()
        pause = self.advertising_interval_min * _SLOT + self.controller.air.chance.random() * _DELAY
        self.timer_handle = asyncio.get_running_loop().call_later(pause, self._on_timer_fired)

    def send_advertising_data(self) -> None:
        if self.enabled and self.advertising_type == _NOT_CONNECTABLE:
            self.controller.send_advertising_pdu(ll.AdvNonConnInd(self.address, self.advertising_data))
        else:
            super().send_advertising_data()


class Chip(Controller):
    le_features = Controller.le_features & ~(
        hci.LeFeatureMask.LE_EXTENDED_ADVERTISING | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
    )
    acl_data_packet_length = 251
    le_acl_data_packet_length = 251

    def __init__(self, address: hci.Address, air: Air, place: tuple[float, float], strengths: dict[str, float]) -> None:
        self.place = place
        self.strengths = strengths  # dBm by adapter's address, if set explicitly and not computed from the position
        self.power = 0.0  # dB, in addition to the usual power of `Propagation`
        self.lateness = 0.0  # s, the delay of all that it sends on a connection
        self.accepts_connections = True
        super().__init__(str(address), link=air, public_address=address)
        self.air = air
        self.le_legacy_advertiser = _Advertiser(self)

    def power_off(self) -> None:
        self.le_legacy_advertiser.stop()
        if self in self.air.controllers:
            self.air.remove_controller(self)
        self.hci_sink = None
