"""The chips that an adapter can have, by what each filters when the kernel asks it to filter duplicates."""

from typing import Any

ONCE_PER_SCAN = "once_per_scan"  # each device and kind of report once per scan: what most real chips do, and the default
BY_DATA = "by_data"  # a device again when its data has changed, however many devices there are
SMALL_MEMORY = "small_memory"  # the same with room for 12 reports: with more devices around it filters hardly anything
UNFILTERED = "unfiltered"  # each advertisement

CHIPS: dict[str, dict[str, Any]] = {
    ONCE_PER_SCAN: {"duplicates": "strict", "memory": None},
    BY_DATA: {"duplicates": "by_data", "memory": None},
    SMALL_MEMORY: {"duplicates": "by_data", "memory": 12},
    UNFILTERED: {"duplicates": "none", "memory": 0},
}
