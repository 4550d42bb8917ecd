"""The faults that a test can give to a device. Faults of only one family are in that family's file."""

import dataclasses
from typing import Any, Self


@dataclasses.dataclass
class Faults:
    dead: bool = False  # advertises, but accepts no connection (the host sees 0x3E)
    mute: bool = False  # accepts the connection, and replies to nothing
    slow: float = 0.0  # s, the additional time of each reply
    drop_at_request: int = 0  # disconnects instead of replying to the request of this number in a connection, of any kind
    drop_at_piece: int = 0  # the same at a piece of a write: short, prepared, or the execution of prepared ones
    drop_at_write: int = 0  # disconnects instead of replying to the write of this number in a connection, counted from 1
    refuses_pairing: bool = False
    drop_at_pairing: int = 0  # disconnects instead of replying to the pairing message of this number in a connection
    silent_at_pairing: int = 0  # replies to none from that number on
    connections: int = 0  # the number of connections that the faults last; 0: all

    def revised(self, changes: dict[str, Any]) -> Self:
        unknown = set(changes) - {field.name for field in dataclasses.fields(self)}
        if unknown:
            raise ValueError(f"no such fault: {', '.join(sorted(unknown))}")
        return dataclasses.replace(self, **changes)
