"""The lab itself is what it says: without this, nothing that it proves is proved."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

from lab import guest_image
from lab.lab import Lab, adapter_address
from lab.machine import oops_in

from .story import Story


class Instrument(Story):
    needs_roboprov = False
    rooms = 40

    def test_three_adapters_hear_forty_sensors_each_in_its_own_way(self) -> None:
        heard = json.loads(self.client("listen.py", "12").must().out)
        everybody = {room.address for room in self.house.rooms}
        self.assertEqual(sorted(heard), [adapter_address(number) for number in range(3)])
        for adapter, sensors in heard.items():
            self.assertEqual(set(sensors), everybody, adapter)
            self.assertEqual({sensor["name"] for sensor in sensors.values()}, {"Robo Sensor"})
        # A sensor right beside one adapter and at the other end of the corridor from another.
        near, far = (heard[adapter_address(number)][self.house.rooms[0].address]["rssi"] for number in (1, 2))
        self.assertGreater(near, far + 8)

    def test_a_plain_client_provisions(self) -> None:
        rooms = self.house.rooms[:4]
        orders = [f"{room.address}={room.minor}" for room in rooms]
        done = self.client("provision.py", adapter_address(0), *orders, timeout=240).must()
        print(done.out)
        sensors = self.lab.radio.sensors()
        for room in rooms:
            held = {"ssid": "Office", "password": "correct horse", "room": f"Room {room.minor}", "minor": room.minor}
            self.assertEqual(sensors[room.address]["flash"], held)
            self.assertEqual(sensors[room.address]["life"], "beacon")
        for room in self.house.rooms[4:]:
            self.assertEqual(sensors[room.address]["writes"], [])

    def test_adapters_come_and_go(self) -> None:
        for number in (0, 1):
            self.lab.unplug(number)
        self._await_adapters({2})
        self.lab.plug(1)
        self._await_adapters({1, 2})
        self.lab.plug(0)
        self._await_adapters({0, 1, 2})
        listing = self.lab.run("sh", "-c", "for a in /sys/class/bluetooth/hci?; do basename $a; done").must().out
        self.assertEqual(listing.split(), ["hci0", "hci1", "hci2"])

    def _await_adapters(self, numbers: set[int]) -> None:
        until = time.monotonic() + 30
        wanted = {adapter_address(number) for number in numbers}
        while (known := self._adapters()) != wanted:
            self.assertLess(time.monotonic(), until, f"bluetoothd knows {known}")

    def _adapters(self) -> set[str]:
        return {line.split()[1] for line in self.lab.run("bluetoothctl", "list").must().out.splitlines()}


class BrokenKernels(unittest.TestCase):
    def test_what_counts_as_broken(self) -> None:
        table = {
            "[    4.71] BUG: kernel NULL pointer dereference, address: 0000000000000070\n[    4.71] #PF: supervisor":
                "BUG: kernel NULL pointer dereference, address: 0000000000000070",
            "[    3.10] general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1] SMP":
                "general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1] SMP",
            "[    3.20] Oops: 0002 [#1] PREEMPT SMP NOPTI": "Oops: 0002 [#1] PREEMPT SMP NOPTI",
            "[    9.99] kernel BUG at net/bluetooth/hci_core.c:2745!": "kernel BUG at net/bluetooth/hci_core.c:2745!",
            "[    1.50] Kernel panic - not syncing: Attempted to kill init!": "Kernel panic - not syncing: Attempted to kill init!",
            "[    0.93] Invalid ELF header magic: != \x7fELF\n[    2.01] Bluetooth: hci0: unexpected event": None,
            "": None,
        }  # fmt: skip
        for console, oops in table.items():
            with self.subTest(console=console):
                self.assertEqual(oops_in(console), oops)

    def test_another_is_taken_when_one_breaks_as_an_adapter_appears(self) -> None:
        """The first kernel here is a good one, whose console is told something bad; the second has to do the work."""
        good, other = guest_image.KERNELS[:2]
        real, told = Lab.plug, []

        def plug(lab: Lab, number: int, **settings) -> None:
            if lab.machine.kernel == good:
                told.append(good)
                lab.run("sh", "-c", "echo 'BUG: kernel NULL pointer dereference' >/dev/console").must()
            real(lab, number, **settings)

        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder) / "broken-kernels"
            with mock.patch.object(Lab, "plug", plug), mock.patch("lab.lab._BROKEN", broken):
                with Lab([(0, 0)]) as lab:
                    self.assertEqual((told, lab.machine.kernel), ([good], other))
                    self.assertIn(other.removeprefix("linux-image-").removesuffix("-amd64"), lab.run("uname", "-r").out)
                self.assertEqual(broken.read_text().split(), [good], "it is remembered")


class Turns(unittest.TestCase):
    def test_labs_take_turns_and_death_gives_one_back(self) -> None:
        script = "import pathlib, sys, time; from lab.turns import Turn\nturn = Turn(pathlib.Path(sys.argv[1]), places=1)\nprint('mine', flush=True); time.sleep(600)"
        here = pathlib.Path(__file__).resolve().parents[1]
        with tempfile.TemporaryDirectory() as folder:
            start = [sys.executable, "-c", script, folder]
            first = subprocess.Popen(start, cwd=here, stdout=subprocess.PIPE, text=True)
            self.assertEqual(first.stdout.readline(), "mine\n")
            second = subprocess.Popen(start, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertIn("waiting for another lab", second.stderr.readline())
            first.kill()
            first.communicate()
            self.assertEqual(second.stdout.readline(), "mine\n")
            second.kill()
            second.communicate()


class NothingSurvives(unittest.TestCase):
    def test_a_lab_whose_owner_is_killed(self) -> None:
        script = "import time; from lab.lab import Lab\nwith Lab([(0, 0)]) as lab: print(lab.folder, flush=True); time.sleep(600)"
        here = pathlib.Path(__file__).resolve().parents[1]
        owner = subprocess.Popen([sys.executable, "-c", script], cwd=here, stdout=subprocess.PIPE, text=True)
        folder = owner.stdout.readline().strip()
        self.assertTrue(folder, "the lab came up")
        self.assertEqual(len(self._processes(folder)), 2, "the machine and the radio")
        os.kill(owner.pid, signal.SIGKILL)
        owner.communicate()
        until = time.monotonic() + 10
        while left := self._processes(folder):
            self.assertLess(time.monotonic(), until, f"still running: {left}")
            time.sleep(0.05)

    def _processes(self, folder: str) -> list[str]:
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                command = (process / "cmdline").read_bytes().decode(errors="replace")
                state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if folder in command and state != "Z" and int(process.name) != os.getpid():
                found.append(command.replace("\0", " "))
        return found
