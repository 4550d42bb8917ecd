"""Runs on chips as they are: most report each device once per scan. What an earlier scan has left in bluetoothd must not keep
a device from being heard."""

import json

from lab.chips import BY_DATA, ONCE_PER_SCAN, SMALL_MEMORY, UNFILTERED
from lab.lab import adapter_address

from .story import LOSSLESS, SUCCESS, Story


class _ConsecutiveScans(Story):
    """Each scan of a row finds what a plain client of bluetoothd hears in the same time: every device that advertises."""

    places = [(10, 4)]
    rooms = 40
    propagation = LOSSLESS

    def scan(self, seconds: int) -> set[str]:
        done = self.finish(self.start("scan", "--listen", str(seconds), "--output", "json"), timeout=120)
        self.assertEqual(done.code, 0, done.err)
        return {device["address"] for device in json.loads(done.out)["devices"]}

    def check_scans(self) -> None:
        addresses = {room.address for room in self.house.rooms}
        found = [self.scan(seconds) for seconds in (4, 4, 4, 10)]
        # With two starts: what the chip reports while the first begins may be lost (docs/bluez.md).
        plain = json.loads(self.client("listen.py", "4", "{}", "2").must().out)[adapter_address(0)]
        counts = [len(devices & addresses) for devices in found]
        print(f"{self.chips}: scans found {counts}, a plain client {len(plain)}")
        self.assertEqual(counts, [len(addresses)] * 4)
        self.check_clean()


class ConsecutiveScansOncePerScan(_ConsecutiveScans):
    chips = [ONCE_PER_SCAN]

    def test_each_scan_finds_every_device(self) -> None:
        self.check_scans()

    def test_after_another_client_has_left_its_objects(self) -> None:
        """Two kinds: those that go by themselves, and those that stay because the client has connected to them."""
        some = [room.address for room in self.house.rooms[:5]]
        self.client("connect.py", adapter_address(0), *some, timeout=120).must()
        self.lab.run("bluetoothctl", "--timeout", "3", "scan", "on").must()
        found = [len(self.scan(4)), len(self.scan(4))]
        print(f"after another client: {found}")
        self.assertEqual(found, [len(self.house.rooms)] * 2)


class ConsecutiveScansByData(_ConsecutiveScans):
    chips = [BY_DATA]

    def test_each_scan_finds_every_device(self) -> None:
        self.check_scans()


class ConsecutiveScansSmallMemory(_ConsecutiveScans):
    chips = [SMALL_MEMORY]

    def test_each_scan_finds_every_device(self) -> None:
        self.check_scans()


class ConsecutiveScansUnfiltered(_ConsecutiveScans):
    chips = [UNFILTERED]

    def test_each_scan_finds_every_device(self) -> None:
        self.check_scans()


class ApplyAfterScan(Story):
    places = [(10, 4)]
    rooms = 12
    propagation = LOSSLESS

    def test_apply_at_once_after_a_scan_charges_nothing(self) -> None:
        self.start("scan", "--listen", "4").wait(120).must()
        done = self.apply()
        self.assertEqual(done.code, 0, done.err)
        report = self.check_all_done()
        self.assertEqual({room["outcome"] for room in report.values()} - set(SUCCESS), set())
        self.check_nothing_charged()
        self.check_clean()


class _Crowd(Story):
    rooms = 120
    propagation = LOSSLESS

    def check_crowd(self) -> None:
        self.lab.run("bluetoothctl", "--timeout", "3", "scan", "on").must()
        done = self.apply(timeout=1800)
        charges = self.charges()
        print(f"120 sensors, {len(self.places)} adapters: {done.seconds:.0f} s, exit {done.code}, charged {len(charges)}:", *charges, sep="\n  ")
        self.assertEqual(done.code, 0, done.err)
        self.check_all_done()
        self.check_nothing_charged()
        self.check_clean()


class CrowdOnOneAdapter(_Crowd):
    places = [(10, 22)]

    def test_nothing_is_charged(self) -> None:
        self.check_crowd()


class CrowdOnThreeAdapters(_Crowd):
    places = [(10, 22), (4, 8), (17, 36)]

    def test_nothing_is_charged(self) -> None:
        self.check_crowd()
