"""What may be wrong with a device, to be ordered by a test. What only one family can have is in that family's file."""

import dataclasses
from typing import Any, Self


@dataclasses.dataclass
class Faults:
    dead: bool = False  # is heard, but takes no connection (the host sees 0x3E)
    mute: bool = False  # takes the connection, and answers nothing
    slow: float = 0.0  # s, that each of its answers takes longer
    drop_at_request: int = 0  # disconnects instead of answering that request of a connection, of whatever kind
    drop_at_write: int = 0  # disconnects instead of answering that write of a connection, counted from 1
    connections: int = 0  # for how many connections all of this lasts; 0: for ever

    def revised(self, changes: dict[str, Any]) -> Self:
        unknown = set(changes) - {field.name for field in dataclasses.fields(self)}
        if unknown:
            raise ValueError(f"no such fault: {', '.join(sorted(unknown))}")
        return dataclasses.replace(self, **changes)
