"""Other clients of bluetoothd: they scan before a run or during it, leave objects behind, or are roboprov itself. No sensor
is charged for that."""

import json

from lab.lab import adapter_address

from .story import LOSSLESS, SUCCESS, Story

ONE_ADAPTER = [(6, 3)]


class AfterBluetoothctl(Story):
    """`bluetoothctl --timeout 3 scan on`, and `apply` at once after it: once in eight tries, the adapter was deaf."""

    places = ONE_ADAPTER
    propagation = LOSSLESS
    rooms = 15
    tries = 8

    def test_apply_provisions_every_room_each_time(self) -> None:
        for number in range(1, self.tries + 1):
            for room in self.house.rooms:
                self.lab.radio.do("reset", address=room.address)
            self.lab.run("rm", "-rf", "/lab/share/reports").must()
            self.lab.run("bluetoothctl", "--timeout", "3", "scan", "on").must()
            done = self.apply()
            charges = self.charges()
            print(f"try {number}: exit {done.code} in {done.seconds:.1f} s, charged {charges}", flush=True)
            with self.subTest(number=number):
                self.assertEqual(done.code, 0, done.err)
                report = self.check_all_done()
                self.assertEqual({room["outcome"] for room in report.values()} - set(SUCCESS), set())
                self.check_nothing_charged()
        self.check_clean()


class AfterObjectsWereLeft(Story):
    """A client that connected and went: its objects are permanent, though nobody paired."""

    places = ONE_ADAPTER
    propagation = LOSSLESS
    rooms = 12

    def test_apply_provisions_every_room(self) -> None:
        addresses = [room.address for room in self.house.rooms]
        self.client("connect.py", adapter_address(0), *addresses, timeout=240).must()
        done = self.apply()
        self.assertEqual(done.code, 0, done.err)
        self.check_all_done()
        self.check_nothing_charged()
        self.check_clean()


class BesideAScan(Story):
    """Another client scans all the time. It costs seconds for each connection (docs/bluez.md); the run says so once."""

    places = ONE_ADAPTER
    propagation = LOSSLESS
    rooms = 15

    def check_beside(self, client) -> None:
        self.addCleanup(lambda: client.signal("KILL"))
        done = self.apply(timeout=1200)
        client.signal("KILL")
        client.wait(10)
        detected = [event["data"] for event in self.events("foreign_scan_detected")]
        print(f"exit {done.code} in {done.seconds:.0f} s, charged {self.charges()}, detected {detected}", flush=True)
        self.assertEqual(done.code, 0, done.err)
        self.check_all_done()
        self.check_nothing_charged()
        self.assertEqual(len(detected), 1, "the other client is on record once")
        report = json.loads((self.latest / "report.json").read_text())
        self.assertEqual(len(report["run"]["foreign_scans"]), 1)
        for said in (done.out, done.err):
            self.assertEqual(" ".join(said.split()).count("scans with hci0"), 1, said)
        self.check_clean()

    def test_bluetoothctl(self) -> None:
        client = self.lab.agent.start("bluetoothctl", "scan", "on")
        self.lab.run("sleep", "2")
        self.assertFalse(client.ended)
        self.check_beside(client)

    def test_a_client_without_a_filter(self) -> None:
        client = self.start_client("discover.py", "1200")
        self.assertEqual(client.line(30), "discovering")
        self.check_beside(client)

    def test_a_client_with_a_filter(self) -> None:
        client = self.start_client("discover.py", "1200", json.dumps({"Transport": "le", "RSSI": -60}))
        self.assertEqual(client.line(30), "discovering")
        self.check_beside(client)


class BusyAdapter(Story):
    """The adapter belongs to another run."""

    places = ONE_ADAPTER
    propagation = LOSSLESS
    rooms = 12

    def test_a_second_run_says_so_once(self) -> None:
        second = json.loads(self.house.manifest) | {"id": "second-lab"}
        (self.lab.share / "second.yaml").write_text(json.dumps(second))
        first = self.start_apply()
        self.addCleanup(lambda: None if first.ended else first.signal("KILL"))
        self.lab.radio.wait_for("connected", timeout=240)
        done = self.start("apply", "second.yaml", "--yes", "--adapter-wait", "3", "--reports", "/lab/share/reports").wait(120)
        self.assertNotEqual(done.code, 0)
        (holder,) = [folder.name for folder in (self.lab.share / "reports/radio-lab").glob("2*")]
        self.assertEqual(done.out.count(holder), 1, "the summary says it once, and not for each room")
        self.assertLessEqual(done.err.count(holder), 1, "so does what is said meanwhile")
        self.assertEqual(self.finish(first).code, 0)
        self.check_all_done()
        self.check_nothing_charged()
