"""The lab as a whole: a radio with sensors, and a guest with adapters on it."""

import os
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from . import guest_image, guests
from .agent import Agent, Done, Running
from .chips import CHIPS, ONCE_PER_SCAN
from .errors import LabError, Oops
from .machine import Machine, has_kvm
from .radio_client import Radio
from .turns import Turn

_NO_KVM = guest_image.BUILD / "kvm-does-not-boot"
CLIENTS = pathlib.Path(__file__).resolve().parents[1] / "clients"
_BROKEN = guest_image.BUILD / "broken-kernels"


def adapter_address(number: int) -> str:
    return f"00:1A:7D:DA:71:{number:02X}"


def sensor_address(number: int) -> str:
    return f"7C:DF:A1:00:{number >> 8:02X}:{number & 0xFF:02X}"


class Lab:
    """A lab, used as `with Lab(…) as lab:`. None of its processes survives it.

    `places`: the positions of the adapters in metres, one for each adapter. `chips`: the names of their chips in
    `lab.chips`; an adapter beyond the end of the list has the default chip. The guest is that of the test run."""

    def __init__(
        self, places: Sequence[tuple[float, float]], seed: int = 1, propagation: dict[str, float] | None = None,
        kernel: str | None = None, chips: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.places = places
        self.chips = chips
        self.guest = guests.chosen()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="radiolab-"))
        self.kept = False  # whether its logs stay on disk
        self._radio: Radio | None = None
        self._machine: Machine | None = None
        self._bluetoothd_options = ""
        self.turn = Turn()
        try:
            self._radio = Radio(self.folder, seed, propagation)
            self._start([kernel] if kernel else None)
        except BaseException:
            self.kept = True
            self.close()
            raise

    # --- Start and end ---

    def _start(self, kernels: list[str] | None) -> None:
        """Starts the first kernel that works, with the machine's virtualization if that works."""
        broken = _BROKEN.read_text().split() if _BROKEN.exists() else []
        kernels = kernels or [name for name in self.guest.kernels if self._key(name) not in broken]
        complaints: list[str] = []
        for name in kernels:
            try:
                self._machine = self._boot_fast_or_slow(name)
                self._plug_in_all()
                return
            except Oops as oops:
                complaints.append(str(oops))
                print(f"radio lab: {oops}; trying another kernel", file=sys.stderr)
                with open(_BROKEN, "a") as file:
                    file.write(f"{self._key(name)}\n")
                self._clear_away()
        raise LabError("No kernel works:\n" + "\n".join(complaints or broken))

    def _key(self, kernel: str) -> str:
        """A kernel's name in the list of broken ones: two releases have kernels of one name."""
        return f"{self.guest.release}/{kernel}"

    def _plug_in_all(self) -> None:
        """Plugs in the adapters. This is part of the start because some kernels break when an adapter appears."""
        for number in range(len(self.places)):
            self.plug(number)
            # One after the other, so that the first adapter is hci0.
            self.run("sh", "-c", f"until [ -e /sys/class/bluetooth/hci{number} ]; do usleep 20000; done").must()
        self.wait_for_adapters()

    def _clear_away(self) -> None:
        """Removes what a guest that has ended left behind."""
        if self._machine is not None:
            self._machine.stop()
            self._machine = None
        for adapter in self.radio.state()["adapters"]:
            self.radio.do("unplug", address=adapter["address"])
        self._remove_sockets()

    def _boot_fast_or_slow(self, kernel: str) -> Machine:
        if has_kvm() and not _NO_KVM.exists() and os.environ.get("RADIOLAB_ACCELERATION") != "tcg":
            try:
                return Machine(self.folder, len(self.places), self.guest, kernel, "kvm")
            except Oops:
                raise
            except LabError:
                # Some virtual machines have a /dev/kvm that works, and yet no kernel boots.
                _NO_KVM.touch()
                self._remove_sockets()
        try:
            return Machine(self.folder, len(self.places), self.guest, kernel, "tcg")
        except Oops:
            raise
        except LabError as error:
            # In 2 of about 40 boots on a busy machine, the kernel was up and the guest waited without end.
            print(f"radio lab: {error} Starting it once more", file=sys.stderr)
            self._remove_sockets()
            return Machine(self.folder, len(self.places), self.guest, kernel, "tcg")

    def _remove_sockets(self) -> None:
        for socket in self.folder.glob("*.sock"):
            if socket.name != "radio.sock":
                socket.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.kept = self.kept or kind is not None
        self.close()

    def close(self) -> None:
        if self._machine is not None:
            if self.kept:
                self._save_logs()
            self._machine.stop()
        if self._radio is not None:
            self._radio.stop()
        self.turn.give_back()
        if not self.kept:
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            print(f"radio lab: logs are in {self.folder}", file=sys.stderr)

    def _save_logs(self) -> None:
        try:
            self.agent.run("cp", "/var/log/bluetoothd", "/lab/share/bluetoothd.log", timeout=5)
            guest = float(self.agent.run("cat", "/run/held-up", timeout=5).must().out)
            print(
                f"radio lab: the guest was held up for {guest:.1f} s at most, the radio for"
                f" {self.radio.state()['held_up']:.1f} s: beyond a second, this machine was too busy for a test case",
                file=sys.stderr,
            )
        except LabError:
            pass

    # --- Doing things ---

    @property
    def radio(self) -> Radio:
        assert self._radio is not None
        return self._radio

    @property
    def machine(self) -> Machine:
        assert self._machine is not None
        return self._machine

    @property
    def agent(self) -> Agent:
        return self.machine.agent

    @property
    def share(self) -> pathlib.Path:
        """The folder that the guest sees as /lab/share."""
        return self.machine.share

    def run(self, *command: str, timeout: float = 60) -> Done:
        return self.agent.run(*command, timeout=timeout)

    def plug(self, number: int, port: int | None = None, **settings: Any) -> None:
        """Plugs an adapter in; `settings` override those of its chip. The kernel decides the number of hciN."""
        path = self.folder / f"hci.{number if port is None else port}.sock"
        chip = CHIPS[self.chips[number] if number < len(self.chips) else ONCE_PER_SCAN]
        adapter = {"address": adapter_address(number), "place": self.places[number], **chip, **settings}
        self.radio.do("plug", adapter=adapter, path=str(path))

    def unplug(self, number: int) -> None:
        self.radio.do("unplug", address=adapter_address(number))

    def power(self, number: int, on: bool) -> None:
        self.client("power.py", adapter_address(number), "on" if on else "off").must()

    def bluetoothd(self, action: str) -> None:
        """`start`, `stop` (in order), `kill` (by SIGKILL), or `restart` (in order, as `systemctl restart` does it). Raises if
        the action has no effect."""
        self.agent.run("/lab/bluetoothd", action, timeout=20, env={"BLUETOOTHD_OPTIONS": self._bluetoothd_options}).must()
        runs = self.run("/lab/bluetoothd", "status").code == 0
        if runs != (action in ("start", "restart")):
            raise LabError(f"After {action}, bluetoothd {'runs' if runs else 'does not run'}.")

    def bus(self, action: str) -> None:
        """`kill` dbus-daemon (by SIGKILL; bluetoothd exits by itself then) or `start` it."""
        self.agent.run("/lab/bus", action, timeout=20).must()

    def restart_bluetoothd(self, options: str = "") -> None:
        """Restarts bluetoothd with these options, which also apply to later starts."""
        self._bluetoothd_options = options
        self.bluetoothd("stop")
        self.bluetoothd("start")
        self.wait_for_adapters()

    def client(self, name: str, *arguments: str, timeout: float = 60) -> Done:
        """Runs a program of `clients` in the guest."""
        return self.start_client(name, *arguments).wait(timeout)

    def start_client(self, name: str, *arguments: str) -> Running:
        shutil.copy(CLIENTS / name, self.share / name)
        return self.agent.start("python3", "-u", f"/lab/share/{name}", *arguments)

    def copy_clients(self) -> None:
        """Copies the programs of `clients` into the folder that the guest sees."""
        for client in CLIENTS.iterdir():
            shutil.copy(client, self.share / client.name)

    def wait_for_adapters(self, timeout: float = 60) -> None:
        """Waits until bluetoothd has all adapters, powered."""
        wanted = "".join(f"{adapter_address(number)}\n" for number in range(len(self.places)))
        (self.share / "adapters").write_text(wanted)
        self.client("power_on.py", timeout=timeout).must()
