"""What may be wrong with a sensor, to be ordered by a test."""

import dataclasses


@dataclasses.dataclass
class Faults:
    dead: bool = False  # is heard, but takes no connection (the host sees 0x3E)
    slow: float = 0.0  # s, that each of its answers takes longer
    drop_at_request: int = 0  # disconnects instead of answering that request of a connection, of whatever kind
    drop_at_write: int = 0  # disconnects instead of answering that write of a connection, counted from 1
    reject: str = ""  # the attribute whose write it answers with an error
    reject_code: int = 0x80
    no_ready: bool = False  # its status stays empty
    first_status: str = ""  # what its status says instead of `ready`
    no_notify: bool = False  # refuses to be subscribed to
    no_wifi_scan: bool = False  # older firmware: the characteristic is absent
    other_table: bool = False  # other firmware: the same attributes elsewhere, so that a cached table is wrong
    renamed: str = ""  # the attribute that older firmware has under another UUID, at the same place in the same service
    no_service: bool = False  # other firmware: the provisioning service is missing
    save_error: str = ""  # answers SAVE with `error:` and this text, and saves nothing
    no_saved: bool = False  # saves and reboots without saying so
    ignore_save: bool = False  # confirms the write of SAVE and does nothing at all
    reboot_before_answer: bool = False  # saves, and reboots so fast that the write of SAVE is never confirmed
    no_save_then_reboot: bool = False  # says `saved` and reboots, but the flash did not take it
    wrong_minor: int = 0  # its iBeacon says this instead of what was written
    no_beacon: bool = False  # is never heard again after it has saved
    silent_reboot: bool = False  # reboots without closing the connection
    connections: int = 0  # for how many connections all of this lasts; 0: for ever

    def revised(self, changes: dict) -> "Faults":
        unknown = set(changes) - {field.name for field in dataclasses.fields(self)}
        if unknown:
            raise ValueError(f"no such fault: {', '.join(sorted(unknown))}")
        return dataclasses.replace(self, **changes)
