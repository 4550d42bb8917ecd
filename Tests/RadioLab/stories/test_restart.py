"""Restarts in mid-run: of bluetoothd in order, as systemd does it; of roboprov by SIGKILL; of dbus-daemon."""

import signal
import time

from .story import LOSSLESS, Story

ONE_ADAPTER = [(6, 3)]


class _OrderlyRestart(Story):
    """It is the host's failure: no sensor is charged."""

    propagation = LOSSLESS

    def restart_at(self, event: str, times: int) -> None:
        running = self.start_apply()
        self.addCleanup(lambda: None if running.ended else running.signal("KILL"))
        self.lab.radio.wait_for(event, times=times, timeout=240)
        self.bluetoothd("restart")
        done = self.finish(running)
        charges = self.charges()
        print(f"restart at {event} {times}: exit {done.code} in {done.seconds:.0f} s, charged {len(charges)}:", *charges, sep="\n  ", flush=True)
        self.assertEqual(done.code, 0, done.err)
        self.check_all_done()
        self.check_nothing_charged()
        self.assertEqual(self.events("foreign_scan_detected"), [], "there is no other client")
        self.check_clean()


class OrderlyRestart(_OrderlyRestart):
    places = ONE_ADAPTER
    rooms = 15

    def test_after_the_first_connection(self) -> None:
        self.restart_at("connected", 1)

    def test_in_the_middle(self) -> None:
        self.restart_at("connected", 7)

    def test_while_a_device_restarts(self) -> None:
        self.restart_at("save", 5)


class OrderlyRestartWithThreeAdapters(_OrderlyRestart):
    rooms = 40

    def test_in_the_middle(self) -> None:
        self.restart_at("connected", 15)

    def test_twice(self) -> None:
        running = self.start_apply()
        self.addCleanup(lambda: None if running.ended else running.signal("KILL"))
        for times in (8, 30):
            self.lab.radio.wait_for("connected", times=times, timeout=240)
            self.bluetoothd("restart")
        done = self.finish(running)
        print(f"two restarts: exit {done.code} in {done.seconds:.0f} s, charged:", *self.charges(), sep="\n  ", flush=True)
        self.assertEqual(done.code, 0, done.err)
        self.check_all_done()
        self.check_nothing_charged()
        self.check_clean()


class KilledWithFifteenLinks(Story):
    rooms = 24
    propagation = LOSSLESS

    def furnish(self) -> None:
        # Near each adapter are enough of them, and each takes its time, so that every adapter has all its links at once.
        for room in self.house.rooms:
            room.faults = {"slow": 1.5}

    def links(self) -> int:
        return sum(adapter["connections"] for adapter in self.lab.radio.state()["adapters"])

    def test_the_next_run_scans_at_once_and_releases_them_concurrently(self) -> None:
        running = self.start_apply()
        self.addCleanup(lambda: None if running.ended else running.signal("KILL"))
        held, until = 0, time.monotonic() + 180
        while held < 15 and time.monotonic() < until and not running.ended:
            time.sleep(0.2)
            held = self.links()
        running.signal("KILL")
        self.assertEqual(running.wait(20).code, -signal.SIGKILL)
        held = self.links()
        for room in self.house.rooms:
            self.lab.radio.do("change", address=room.address, faults={})
        done = self.apply()
        self.assertEqual(done.code, 0, done.err)
        events = self.events()
        released = [event["elapsed_us"] / 1e6 for event in events if event["kind"] == "link_released"]
        scanned = [event["elapsed_us"] / 1e6 for event in events if event["kind"] == "listening_started"]
        attempts = [event["elapsed_us"] / 1e6 for event in events if event["kind"] == "attempt_started"]
        print(f"{held} links held; first scan window {scanned[0]:.2f} s, links released {[round(at, 2) for at in released]},"
              f" first attempt {attempts[0]:.2f} s, charged {self.charges()}", flush=True)  # fmt: skip
        self.check_all_done()
        self.check_clean()
        self.check_nothing_charged()
        self.assertGreaterEqual(held, 12, "the dead run's links are held by bluetoothd")
        self.assertEqual(len(released), held)
        self.assertLess(scanned[0], 2.0, "the survey does not wait for the links")
        # One `Disconnect` takes 2.0 to 2.8 s, and an adapter's are made one after the other at the worst.
        self.assertLess(released[-1] - scanned[0], held * 2.0 / 2, "links are released concurrently")


class BusKilled(Story):
    """Nothing is left in bluetoothd's storage after the next run."""

    places = ONE_ADAPTER
    propagation = LOSSLESS
    rooms = 15

    def test_the_run_goes_on_or_ends_cleanly_and_the_next_cleans_up(self) -> None:
        running = self.start_apply()
        self.addCleanup(lambda: None if running.ended else running.signal("KILL"))
        self.lab.radio.wait_for("connected", times=4, timeout=240)
        self.lab.bus("kill")
        # bluetoothd exits by itself; the service manager starts both again.
        while self.lab.run("/lab/bluetoothd", "status").code == 0:
            self.lab.run("usleep", "50000")
        self.lab.bus("start")
        self.bluetoothd("start")
        self.lab.wait_for_adapters()
        done = self.finish(running)
        stored = self.lab.run("sh", "-c", "find /var/lib/bluetooth -name info 2>/dev/null; true").out.split()
        charges = self.charges()
        print(f"bus killed: exit {done.code} in {done.seconds:.0f} s, charged {charges}, {len(stored)} devices stored", flush=True)
        self.assertIn(done.code, (0, 69, 100), done.err)
        self.check_truth()
        self.check_nothing_charged()
        again = self.apply()
        self.assertEqual(again.code, 0, again.err)
        self.check_all_done()
        self.check_clean()
