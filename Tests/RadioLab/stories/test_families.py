"""Buildings in which not every device is a Robo Sensor."""

import time

from lab.lab import sensor_address

from .families import PIANO, QUICK, Families, OneOfEach, at
from .house import PROXIMITY, BeaconRoom, FireflyRoom, RegisteredRoom
from .story import SUCCESS

ELSEWHERE = {"uuid": "11111111-2222-3333-4444-555555555555", "major": 9, "minor": 9}
WORN_OUT = ("failed", "unconfirmed")  # The latter when the last attempt, by chance, came to nothing.


class SecondRun(OneOfEach):
    def test_it_writes_nothing_but_moments(self) -> None:
        self.provision()
        before = self.lab.radio.sensors()
        again = self.apply()
        self.assertEqual(again.code, 0, again.err)
        report = self.check_truth()
        for number in (1, 2, 4):
            self.assertEqual(report[f"Room {number}"]["outcome"], "already_provisioned")
        for address, sensor in self.lab.radio.sensors().items():
            if address != sensor_address(3):
                self.assertEqual(sensor["writes"], before[address]["writes"], address)
        self.check_clean()


class Beacons(Families):
    residents = [
        at(BeaconRoom, 1),
        at(BeaconRoom, 2, power=None, interval=None),  # keeps what it has of these
        at(BeaconRoom, 3, past=ELSEWHERE),
        at(BeaconRoom, 4, faults={"drop_at_write": 2, "connections": 1}),
        at(BeaconRoom, 5, faults={"drop_at_write": 3, "stores_before_drop": True, "connections": 1}),
        at(BeaconRoom, 6, faults={"forgets": "beacon_id"}),
        at(BeaconRoom, 7, faults={"reads_back_wrong": "transmit"}),
        at(BeaconRoom, 8, past={"uuid": PROXIMITY, "major": 7, "minor": 2008, "power": 2, "interval": 160}),
    ]

    def test_each_ends_as_its_past_and_its_faults_have_it(self) -> None:
        done = self.apply()
        self.assertEqual(done.code, 100, done.err)
        report = self.check_truth()
        self.check_outcomes(report, {"Room 3": "needs_hands"} | dict.fromkeys(("Room 6", "Room 7"), WORN_OUT))
        sensors = self.lab.radio.sensors()
        foreign = sensors[sensor_address(3)]
        self.assertEqual((foreign["flash"]["uuid"], foreign["writes"]), (ELSEWHERE["uuid"], []))
        self.assertIn(ELSEWHERE["uuid"].lower(), report["Room 3"]["reason"].lower(), "it says what it holds")
        written = [write["attribute"] for write in sensors[sensor_address(8)]["writes"]]
        self.assertEqual(written, ["transmit"], "only what differs wears the flash")

        permitted = self.apply("--overwrite", "Room 3")
        self.assertEqual(permitted.code, 100, permitted.err)
        report = self.check_truth()
        self.check_outcomes(report, dict.fromkeys(("Room 6", "Room 7"), WORN_OUT) | dict.fromkeys(
            ("Room 1", "Room 2", "Room 4", "Room 5", "Room 8"), "already_provisioned"
        ))  # fmt: skip
        after = self.lab.radio.sensors()
        for number in (1, 2, 4, 5, 8):
            address = sensor_address(number)
            self.assertEqual(after[address]["writes"], sensors[address]["writes"], address)
        self.check_clean()


class CutOffHalfWay(Families):
    residents = [at(BeaconRoom, 1)]

    def test_the_next_run_repairs_it(self) -> None:
        running = self.start_apply()
        self.lab.radio.wait_for("stored", times=1, timeout=120)
        running.signal("KILL")
        self.finish(running, timeout=20)
        half = self.lab.radio.sensors()[sensor_address(1)]
        self.assertFalse(self.house.rooms[0].is_done(half), "it was cut off before it had been told everything")
        done = self.apply()
        self.assertEqual(done.code, 0, done.err)
        self.check_outcomes(self.check_truth(), {})
        self.check_clean()


class SlowBeacons(Families):
    """Debian's kernel connects to nobody whose advertisements are more than 4 s apart (docs/bluez.md)."""

    residents = [
        at(BeaconRoom, 1, past={"interval": 5600}),  # 3.5 s
        at(BeaconRoom, 2, past={"interval": 32000}),  # 20 s
        at(RegisteredRoom, 3, past={"interval": 32000}),
        at(BeaconRoom, 4),
    ]

    def test_who_can_be_reached_is_and_the_rest_is_bounded(self) -> None:
        began = time.monotonic()
        done = self.apply()
        took = time.monotonic() - began
        self.assertEqual(done.code, 100, done.err)
        self.check_outcomes(
            self.check_truth(), {"Room 2": ("unreachable", "failed"), "Room 3": "already_provisioned"}
        )
        self.assertLess(took, 420)
        self.check_clean()


class Fireflies(Families):
    residents = [
        at(FireflyRoom, 1, timing=QUICK),
        at(FireflyRoom, 2, timing=QUICK, faults={"stays": True}),
        at(FireflyRoom, 3, timing=QUICK, faults={"mute": True}),
        at(FireflyRoom, 4, timing=QUICK, faults={"dead": True}),
        at(FireflyRoom, 5, timing={"advertising": 2.5}),
    ]

    def furnish(self) -> None:
        super().furnish()
        self.house.bystanders = [PIANO]

    def test_each_ends_in_one_outcome_and_the_moment_is_the_moment_of_the_write(self) -> None:
        since = time.monotonic()
        done = self.apply()
        self.assertEqual(done.code, 100, done.err)
        report = self.check_truth()
        self.check_outcomes(report, {
            "Room 2": "unconfirmed", "Room 3": ("failed", "unreachable"), "Room 4": ("failed", "unreachable"),
        })  # fmt: skip
        sensors = self.lab.radio.sensors()
        for number in (3, 4):
            self.assertEqual(sensors[sensor_address(number)]["writes"], [])
        connected = [news for news in self.lab.radio.events if news["event"] == "connected"]
        for number in (1, 2, 5):
            address = sensor_address(number)
            for write in sensors[address]["writes"]:
                elapsed = bytes.fromhex(write["value"])[2] / 255 * 10  # s, and up to 0.04 s more
                link = max(news["at"] for news in connected if news["address"] == address and news["at"] < write["at"])
                self.assertGreater(elapsed + 0.04, write["at"] - link - 0.3, "the session began before the link")
                self.assertLess(elapsed, write["at"] - since, "and after the run did")
        self.check_clean()

    def test_found_late_it_has_one_outcome(self) -> None:
        for room in self.house.rooms:
            self.lab.radio.do("power", address=room.address, on=False)
        late = self.house.rooms[0]
        self.house.rooms[:] = [late]
        (self.lab.share / "building.yaml").write_text(self.house.manifest)
        running = self.start_apply()
        until = time.monotonic() + 60
        while not self.lab.radio.state()["adapters"][0]["scanning"]:
            self.assertLess(time.monotonic(), until, "nobody looks for it")
            time.sleep(0.05)
        time.sleep(8.0)
        self.lab.radio.do("power", address=late.address, on=True)
        done = self.finish(running)
        report = self.check_truth()
        outcome, writes = report[late.name]["outcome"], self.lab.radio.sensors()[late.address]["writes"]
        if outcome in SUCCESS:
            self.assertEqual((done.code, len(writes)), (0, 1))
        else:
            self.assertEqual((done.code, outcome, writes), (100, "unreachable", []))
        self.check_clean()


class FireflyAsDebianStartsBluetoothd(Families):
    """BlueZ's own plugin for BLE-MIDI hides the Firefly's characteristic (docs/bluez.md)."""

    bluetoothd_options = ""
    residents = [at(FireflyRoom, 1, timing=QUICK), at(BeaconRoom, 2)]

    def test_it_is_told_so_and_nothing_is_written(self) -> None:
        done = self.apply()
        self.assertEqual(done.code, 100, done.err)
        report = self.check_truth()
        self.check_outcomes(report, {"Room 1": "failed"})
        self.assertIn("--noplugin=midi", report["Room 1"]["advice"])
        self.assertEqual(self.lab.radio.sensors()[sensor_address(1)]["writes"], [])
        self.check_clean()
