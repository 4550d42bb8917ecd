"""How a device pairs: what it demands, the keys that it keeps, and what it does beyond a successful pairing. Bumble's security
manager does the rest; its own store is not used, because it has the wrong key after legacy pairing."""

import dataclasses
import secrets
from typing import TYPE_CHECKING, Any

from bumble import att, gatt, hci, smp
from bumble.device import Connection, Device
from bumble.keys import KeyStore, PairingKeys
from bumble.pairing import PairingConfig, PairingDelegate

if TYPE_CHECKING:
    from .peripheral import Peripheral

_VALUE_REQUESTS = (
    att.ATT_Read_Request, att.ATT_Read_Blob_Request, att.ATT_Write_Request, att.ATT_Prepare_Write_Request,
    att.ATT_Write_Command,
)  # fmt: skip
_CAN_ENTER = (smp.IoCapability.KEYBOARD_ONLY, smp.IoCapability.KEYBOARD_DISPLAY)


@dataclasses.dataclass
class Rules:
    """What a device demands before its values can be read and written: an encrypted link, with `passkey` a link that the
    passkey protects. A device without rules does not pair."""

    passkey: int | None = None  # on its label, 1 to 999999; without one it pairs by Just Works
    insists: bool = False  # it refuses a host that cannot enter the passkey; others pair with it and keep their values closed
    legacy: bool = False  # no Secure Connections
    keeps_key: bool = True  # bonding
    most_keys: int | None = None  # it refuses hosts beyond this number; None: it has room for all
    private: bool = False  # its address on air resolves only by a key that it gives while it pairs


class Security:
    """The security of a device. Its keys outlast a restart."""

    def __init__(self, device: "Peripheral") -> None:
        self.device = device
        self.rules: Rules | None = None
        self.keys: dict[str, PairingKeys.Key] = {}  # by the host's address
        self.irk = secrets.token_bytes(16)
        self.pairings = 0  # that succeeded
        self.resumed = 0  # links that a kept key encrypted
        self._protected: set[int] = set()  # the handles of the values
        self._messages_of_connection = 0
        self._is_authenticated = False  # whether the passkey protects the link

    @property
    def is_private(self) -> bool:
        return self.rules is not None and self.rules.private

    def new_address(self) -> hci.Address:
        return hci.Address.generate_private_address(self.irk)

    def forget(self) -> None:
        """Deletes the keys, as a reset does."""
        self.keys = {}

    def state(self) -> dict[str, Any]:
        return {"keys": sorted(self.keys), "pairings": self.pairings, "resumed": self.resumed}

    # --- In its stack ---

    def install(self, host: Device, services: tuple[gatt.Service, ...]) -> None:
        """Before the stack is switched on."""
        self._protected = {one.handle for service in services for one in service.characteristics}
        host.irk = self.irk
        host.keystore = KeyStore()
        host.pairing_config_factory = self._configuration
        host.host.long_term_key_provider = lambda handle, rand, ediv: self._long_term_key(host, handle, rand, ediv)
        manager = host.smp_manager
        answer = manager.on_smp_pdu

        def attend(connection: Connection, message: bytes) -> None:
            self._messages_of_connection += 1
            number, faults = self._messages_of_connection, self.device.faults
            self.device.announce("pairing", number=number, by=_host(connection))
            if number == faults.drop_at_pairing:
                self.device.soon(connection.disconnect())
            elif 0 < faults.silent_at_pairing <= number:
                pass
            elif self._is_too_weak(message):
                reason = smp.ErrorCode.AUTHENTICATION_REQUIREMENTS
                manager.send_command(connection, smp.SMP_Pairing_Failed_Command(reason))
                self._failed(connection, reason)
            else:
                answer(connection, message)

        manager.on_smp_pdu = attend  # type: ignore[method-assign, assignment]

    def connected(self, connection: Connection) -> None:
        self._messages_of_connection = 0
        self._is_authenticated = False
        if self.is_private:
            connection.self_address = self.device.shown
        connection.on(Connection.EVENT_PAIRING, lambda keys: self._succeeded(connection, keys))
        connection.on(Connection.EVENT_PAIRING_FAILURE, lambda reason: self._failed(connection, reason))

    def _configuration(self, connection: Connection) -> PairingConfig:
        rules = self.rules or Rules()
        # ESP-IDF asks for protection even where it has neither display nor keys; that is Just Works nevertheless.
        return PairingConfig(
            sc=not rules.legacy, mitm=True, bonding=rules.keeps_key, delegate=_Delegate(rules, self._accepts(connection))
        )

    def _is_too_weak(self, message: bytes) -> bool:
        """Whether this is a request for a pairing that the passkey cannot protect, and the device insists on that."""
        if self.rules is None or not self.rules.insists or message[0] != smp.CommandCode.PAIRING_REQUEST:
            return False
        return message[1] not in _CAN_ENTER

    def _accepts(self, connection: Connection) -> bool:
        rules = self.rules
        if rules is None or self.device.faults.refuses_pairing:
            return False
        return rules.most_keys is None or _host(connection) in self.keys or len(self.keys) < rules.most_keys

    async def _long_term_key(self, host: Device, handle: int, rand: bytes, ediv: int) -> bytes | None:
        connection = host.lookup_connection(handle)
        if connection is None:
            return None
        if handle in host.smp_manager.sessions:
            return host.smp_manager.get_long_term_key(connection, rand, ediv)
        key = self.keys.get(_host(connection))
        if key is None:
            return None
        self.resumed += 1
        self._is_authenticated = key.authenticated
        return key.value

    def _succeeded(self, connection: Connection, keys: PairingKeys) -> None:
        # Bumble keeps the session until the link ends, and cannot pair again in it.
        session = connection.device.smp_manager.sessions.pop(connection.handle)
        # Both ends of a link by legacy pairing use the key of its peripheral; Bumble calls it so.
        key = keys.ltk or keys.ltk_central
        assert key is not None
        self.pairings += 1
        self._is_authenticated = key.authenticated
        if session.bonding:
            self.keys[_host(connection)] = key
        self.device.announce(
            "paired", by=_host(connection), passkey=key.authenticated, bonded=session.bonding, legacy=not session.sc
        )

    def _failed(self, connection: Connection, reason: int) -> None:
        connection.device.smp_manager.sessions.pop(connection.handle, None)
        self.device.announce("pairing_failed", by=_host(connection), reason=int(reason))

    # --- Requests ---

    def refusal(self, connection: Connection, request: att.ATT_PDU) -> att.ATT_PDU | None:
        """The reply to a request that the link is not secure enough for. A command gets none, and has no effect."""
        if self.rules is None or not isinstance(request, _VALUE_REQUESTS) or request.attribute_handle not in self._protected:
            return None
        if self._is_secure(connection):
            return None
        # As the specification (Vol 3 Part C 10.3.1) and NimBLE: with a key the host only needs to encrypt the link. Bumble's
        # own permissions do not tell the two apart.
        has_key = _host(connection) in self.keys and not connection.is_encrypted
        return att.ATT_Error_Response(
            request_opcode_in_error=request.op_code,
            attribute_handle_in_error=request.attribute_handle,
            error_code=att.ErrorCode.INSUFFICIENT_ENCRYPTION if has_key else att.ErrorCode.INSUFFICIENT_AUTHENTICATION,
        )

    def _is_secure(self, connection: Connection) -> bool:
        if not connection.is_encrypted or self.rules is None or self.rules.passkey is None:
            return connection.is_encrypted
        session = connection.device.smp_manager.sessions.get(connection.handle)
        return self._is_authenticated if session is None else session.pairing_method == smp.PairingMethod.PASSKEY


class _Delegate(PairingDelegate):
    """The answers of a device in a pairing."""

    def __init__(self, rules: Rules, accepts: bool) -> None:
        super().__init__(self.NO_OUTPUT_NO_INPUT if rules.passkey is None else self.DISPLAY_OUTPUT_ONLY)
        self.passkey = rules.passkey
        self.accepts = accepts

    async def accept(self) -> bool:
        return self.accepts

    async def generate_passkey(self) -> int:
        assert self.passkey, "Bumble cannot use the passkey 0"
        return self.passkey


def _host(connection: Connection) -> str:
    return str(connection.peer_address).removesuffix("/P")
