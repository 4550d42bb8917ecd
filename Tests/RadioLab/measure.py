"""Answers questions about the real stack with numbers, for docs/bluez.md: `Tests/RadioLab/run --measure [NAME…]`."""

import json
import shutil
import sys
import time

from lab.lab import Lab, adapter_address
from stories.house import House
from stories.story import CLIENTS


def _furnished(lab: Lab, house: House) -> Lab:
    lab.radio.do("add", sensors=house.sensors)
    for client in CLIENTS.iterdir():
        shutil.copy(client, lab.share / client.name)
    return lab


def rssi() -> None:
    """How often the RSSI of a sensor that stands still is reported, by discovery filter and by what the chip takes for a
    duplicate."""
    house = House(20)
    with Lab([(10, 4)]) as lab:
        _furnished(lab, house)
        for duplicates, memory in (("none", 0), ("by_data", 12), ("by_data", 1000), ("strict", 1000)):
            lab.unplug(0)
            lab.run("sleep", "1")
            lab.plug(0, duplicates=duplicates, memory=memory)
            lab.wait_for_adapters()
            for wishes in ({}, {"DuplicateData": False}, {"RSSI": -127}, {"Pattern": "Robo"}):
                done = lab.run("python3", "/lab/share/listen.py", "15", json.dumps(wishes), timeout=60).must()
                heard = json.loads(done.out)[adapter_address(0)]
                reports = sorted(sensor["reports"] for sensor in heard.values())
                middle = reports[len(reports) // 2] if reports else 0
                print(
                    f"chip {duplicates:8} {memory:4}  filter {json.dumps(wishes):45} heard {len(heard):2} of 20;"
                    f" RSSI reports in 15 s: {reports[:1]} … {middle} … {reports[-1:]}",
                    flush=True,
                )


def connections() -> None:
    """How long a connection takes, and what the one too many gets."""
    house = House(12)
    with Lab([(10, 4)]) as lab:
        _furnished(lab, house)
        for limit in (3, 7):
            lab.unplug(0)
            time.sleep(1)
            lab.plug(0, connections=limit)
            lab.wait_for_adapters()
            addresses = [room.address for room in house.rooms[: limit + 2]]
            print(f"a chip for {limit} connections, asked for {limit + 2}:")
            print(lab.run("python3", "/lab/share/hold.py", adapter_address(0), *addresses, timeout=200).out, flush=True)


MEASURES = [rssi, connections]


def main(names: list[str]) -> None:
    for measure in MEASURES:
        if not names or measure.__name__ in names:
            print(measure.__doc__)
            measure()


if __name__ == "__main__":
    main(sys.argv[1:])
