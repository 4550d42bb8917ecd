"""Makes the guests: a disk with a minimal Debian and BlueZ, and a RAM disk for each kernel.

The files are in `.build-lab`, named by a digest of their inputs; nothing is made twice."""

import contextlib
import fcntl
import hashlib
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from . import cpio
from .errors import LabError
from .guests import Guest, chosen
from .packages import Archive, unpack

PROJECT = pathlib.Path(__file__).resolve().parents[3]
SOURCES = PROJECT / "Tests/RadioLab/guest"
BUILD = PROJECT / ".build-lab"

ROOT_PACKAGES = [
    "bluez",
    "busybox-static",  # the shell and the small tools of the guest's scripts
    "dbus",
    "libc6",
    # For roboprov:
    "libdbus-1-3",
    "libgcrypt20",
    "libglib2.0-0",  # Debian 13 provides it by another package
    "libqrencode4",
    "libstdc++6",
    "libyaml-0-2",
    "zlib1g",
    "openssh-client",
    "openssh-server",  # the guest is its own gateway
    "python3-dbus",  # for the agent and the other clients
    "python3-gi",
    "systemd",  # systemd-stdio-bridge, which runs on gateways
]

# The drivers that the guest needs in addition to the built-in ones. Their dependencies are added.
MODULES = [
    "virtio_pci", "virtio_blk", "virtio_console", "virtio_rng", "ext4", "9p", "9pnet_virtio",
    "hci_vhci", "algif_hash", "algif_skcipher", "cmac", "ecb", "crc32c_generic",
    # The random numbers of keys: without them each pairing fails for an unspecified reason.
    "drbg", "jitterentropy_rng", "hmac", "sha256_generic", "sha512_generic", "ctr",
]  # fmt: skip

_UNNEEDED = ("./usr/share/doc", "./usr/share/man", "./usr/share/locale", "./usr/share/perl*", "./usr/lib/*/perl*")


@dataclass(frozen=True)
class Boot:
    """A kernel and the RAM disk made for it."""

    name: str
    kernel: pathlib.Path
    ramdisk: pathlib.Path


def _digest(*parts: object) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, pathlib.Path) else repr(part).encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def _made_once(path: pathlib.Path) -> Iterator[pathlib.Path | None]:
    """Yields a path to make, or None if the file exists. The file appears complete, even if two labs make it at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            yield None
            return
        with tempfile.TemporaryDirectory(dir=BUILD, prefix="making-") as folder:
            made = pathlib.Path(folder) / path.name
            yield made
            os.replace(made, path)


def _report(text: str) -> None:
    print(f"radio lab: {text}", file=sys.stderr, flush=True)


def _run(*arguments: object) -> None:
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise LabError(f"{arguments[0]} failed: {(done.stderr or done.stdout).strip()}")


def _archive(guest: Guest) -> Archive:
    return Archive(BUILD / f"apt-{guest.suite}", guest.suite)


def disk(guest: Guest) -> pathlib.Path:
    """The guest's disk, to be used as a snapshot."""
    sources = sorted(SOURCES.iterdir())
    path = BUILD / f"disk-{guest.release}-{_digest(ROOT_PACKAGES, *sources)}.ext4"
    with _made_once(path) as made:
        if made is not None:
            _report(f"making the disk of Debian {guest.release}")
            root = made.parent / "root"
            _lay_out(root)
            for package in _archive(guest).fetch(ROOT_PACKAGES):
                unpack(package, root, without=_UNNEEDED)
            _set_up(root)
            _run("mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-E", "root_owner=0:0", "-d", root, made, "768M")
            _forget_older(f"disk-{guest.release}-*.ext4", keep=path)
    return path


def _lay_out(root: pathlib.Path) -> None:
    """Creates the links of Debian's merged /usr."""
    for folder in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / folder).mkdir(parents=True)
        (root / folder).symlink_to(f"usr/{folder}")
    for folder in ("dev", "proc", "sys", "run", "tmp", "lab/share", "var/log", "var/lib/bluetooth", "root", "etc"):
        (root / folder).mkdir(parents=True, exist_ok=True)


def _set_up(root: pathlib.Path) -> None:
    """Does the necessary part of the packages' own scripts."""
    for name in ("boot", "start", "bluetoothd", "bus", "agent.py"):
        shutil.copy(SOURCES / name, root / "lab" / name)
        (root / "lab" / name).chmod(0o755)
    _run("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", root / "lab/pump", SOURCES / "pump.c")

    busybox = root / "usr/bin/busybox"
    if not busybox.exists():
        raise LabError("busybox-static has no usr/bin/busybox.")
    for tool in subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split():
        for place in ("usr/bin", "usr/sbin"):
            if (root / place / tool).exists() or (root / place / tool).is_symlink():
                break
        else:
            (root / "usr/bin" / tool).symlink_to("busybox")

    # bluetoothd's policy names groups, and the bus its own user.
    (root / "etc/passwd").write_text(
        "root:x:0:0:root:/root:/bin/sh\nmessagebus:x:100:100::/nonexistent:/bin/false\n"
        "installer:x:1000:1000::/tmp:/bin/sh\nsshd:x:102:65534::/run/sshd:/bin/false\n"
        "nobody:x:65534:65534::/nonexistent:/bin/false\n"
    )
    (root / "etc/group").write_text(
        "root:x:0:\nmessagebus:x:100:\nbluetooth:x:101:\nlp:x:7:\ninstaller:x:1000:\nnogroup:x:65534:\n"
    )
    (root / "etc/nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost radiolab\n")


def boot(guest: Guest, kernel: str) -> Boot:
    """A kernel of the guest's archive, by the name of its package, ready to boot."""
    starter = SOURCES / "boot"
    folder = BUILD / f"kernel-{guest.release}-{kernel}-{_digest(MODULES, starter)}"
    with _made_once(folder) as made:
        if made is not None:
            _report(f"making a RAM disk for {kernel}")
            archive = _archive(guest)
            files = made.parent / "files"
            unpack(archive.fetch_kernel(kernel), files)
            busybox = made.parent / "busybox"
            (package,) = [p for p in archive.fetch(["busybox-static"]) if p.name.startswith("busybox-static_")]
            unpack(package, busybox)
            made.mkdir()
            (image,) = (files / "boot").glob("vmlinuz-*")
            shutil.copy(image, made / "kernel")
            _ram_disk(files, next(busybox.glob("**/bin/busybox")), starter).write(made / "ramdisk")
            _forget_older(f"kernel-{guest.release}-{kernel}-*", keep=folder)
    return Boot(kernel, folder / "kernel", folder / "ramdisk")


def _ram_disk(files: pathlib.Path, busybox: pathlib.Path, starter: pathlib.Path) -> cpio.Archive:
    archive = cpio.Archive()
    for folder in ("bin", "modules", "proc", "sys", "dev", "disk"):
        archive.folder(folder)
    archive.file("bin/busybox", busybox.read_bytes(), 0o755)
    archive.file("init", starter.read_bytes(), 0o755)
    modules = _modules_in_order(files)
    names = [module.name.removesuffix(".xz") for module in modules]
    for name, module in zip(names, modules, strict=True):
        data = module.read_bytes()
        archive.file(f"modules/{name}", lzma.decompress(data) if module.suffix == ".xz" else data)
    archive.file("modules/order", "".join(f"{name}\n" for name in names).encode())
    return archive


def _modules_in_order(files: pathlib.Path) -> list[pathlib.Path]:
    """The drivers and their dependencies, each after those that it needs."""
    (folder,) = [path.parent for path in files.glob("**/lib/modules/*/modules.builtin")]
    _run(shutil.which("depmod") or "/usr/sbin/depmod", "-b", _above_lib(folder), folder.name)
    needs: dict[str, list[str]] = {}
    places: dict[str, pathlib.Path] = {}
    for line in (folder / "modules.dep").read_text().splitlines():
        path, _, dependencies = line.partition(":")
        places[_module_name(path)] = folder / path
        needs[_module_name(path)] = [_module_name(dependency) for dependency in dependencies.split()]
    built_in = {_module_name(line) for line in (folder / "modules.builtin").read_text().splitlines()}

    order: list[str] = []

    def add(name: str) -> None:
        if name in order or name in built_in:
            return
        if name not in needs:
            raise LabError(f"This kernel has no {name}.")
        for dependency in needs[name]:
            add(dependency)
        order.append(name)

    for name in MODULES:
        add(name.replace("-", "_"))
    return [places[name] for name in order]


def _above_lib(folder: pathlib.Path) -> pathlib.Path:
    return next(parent.parent for parent in folder.parents if parent.name == "lib")


def _module_name(path: str) -> str:
    return path.rpartition("/")[2].partition(".ko")[0].replace("-", "_")


def _forget_older(pattern: str, keep: pathlib.Path) -> None:
    for path in BUILD.glob(pattern):
        if path != keep:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


if __name__ == "__main__":
    print(disk(chosen()))
    print(boot(chosen(), sys.argv[1] if len(sys.argv) > 1 else chosen().kernels[0]))
