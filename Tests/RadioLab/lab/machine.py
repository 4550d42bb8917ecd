"""The virtual machine: QEMU with our kernel and disk, ports to the radio and to the agent, and a check of its console."""

import fcntl
import os
import pathlib
import re
import shutil
import time
from typing import BinaryIO

from . import guest_image, processes
from .agent import Agent
from .errors import LabError, Oops
from .guests import Guest

_KVM_CREATE_VM = 0xAE01
_OOPS = re.compile(r"(BUG: .*|Oops: .*|general protection fault.*|Kernel panic.*|kernel BUG at .*)")


def oops_in(console: str) -> str | None:
    """The first line on a kernel's console that shows an oops."""
    found = _OOPS.search(console)
    return found[0].strip() if found else None


def has_kvm() -> bool:
    """Whether this machine can run virtual machines with KVM: the device alone proves nothing."""
    try:
        kvm = os.open("/dev/kvm", os.O_RDWR)
    except OSError:
        return False
    try:
        os.close(fcntl.ioctl(kvm, _KVM_CREATE_VM, 0))
        return True
    except OSError:
        return False
    finally:
        os.close(kvm)


class Machine:
    """A booted guest. `folder` has its sockets, the log of its console, and `share`, which host and guest see."""

    def __init__(self, folder: pathlib.Path, adapters: int, guest: Guest, kernel: str, acceleration: str) -> None:
        self.folder = folder
        self.guest = guest
        self.kernel = kernel
        self.acceleration = acceleration
        self.share = folder / "share"
        self.share.mkdir(exist_ok=True)
        self.console = folder / f"console-{kernel}-{acceleration}.log"
        self._adapters = adapters
        began = time.monotonic()
        self._process = processes.start(self._command(), stdout=self._log("qemu.log"), stderr=self._log("qemu.log"))
        try:
            self.agent = Agent(folder / "agent.sock", self.check, timeout=30 if acceleration == "kvm" else 75)
        except BaseException:
            self.stop()
            raise
        self.seconds_to_boot = time.monotonic() - began

    def _log(self, name: str) -> BinaryIO:
        return open(self.folder / name, "ab")

    def _command(self) -> list[str]:
        qemu = shutil.which("qemu-system-x86_64")
        if qemu is None:
            raise LabError("There is no qemu-system-x86_64: install Debian's qemu-system-x86, then try again.")
        boot = guest_image.boot(self.guest, self.kernel)
        command = [
            qemu, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-machine", "q35", "-m", "1024", "-smp", "2",
            *(["-accel", "kvm", "-cpu", "host"] if self.acceleration == "kvm" else ["-accel", "tcg,thread=multi"]),
            "-kernel", boot.kernel, "-initrd", boot.ramdisk,
            "-append", "console=ttyS0 loglevel=5 panic=1 oops=panic mitigations=off nokaslr cryptomgr.notests=1 no_timer_check",
            "-serial", f"file:{self.console}",
            "-device", "virtio-rng-pci",
            "-drive", f"file={guest_image.disk(self.guest)},if=none,id=disk,format=raw,snapshot=on",
            "-device", "virtio-blk-pci,drive=disk",
            "-fsdev", f"local,id=share,path={self.share},security_model=none",
            "-device", "virtio-9p-pci,fsdev=share,mount_tag=share",
            "-device", "virtio-serial-pci",
        ]  # fmt: skip
        for name in ["agent", *(f"hci.{number}" for number in range(self._adapters))]:
            socket = self.folder / ("agent.sock" if name == "agent" else f"{name}.sock")
            command += ["-chardev", f"socket,id={name},path={socket},server=on,wait=off"]
            command += ["-device", f"virtserialport,chardev={name},name={name}"]
        return [str(part) for part in command]

    def check(self) -> None:
        """Raises if the guest has ended or its kernel is broken."""
        text = self.console.read_text(errors="replace") if self.console.exists() else ""
        if oops := oops_in(text):
            raise Oops(f"{self.kernel}: {oops} (see {self.console})")
        if self._process.poll() is not None:
            log = (self.folder / "qemu.log").read_text(errors="replace").strip()
            raise LabError(f"The virtual machine has ended with {self._process.returncode}. {log}\n{text[-2000:]}")

    def stop(self) -> None:
        processes.stop(self._process, timeout=1)
