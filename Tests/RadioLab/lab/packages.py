"""Debian packages for the guest. apt fetches them by name from a suite of Debian's archive, without root and without a change
to this machine's packages and lists."""

import os
import pathlib
import re
import shutil
import subprocess

from .errors import LabError

_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
_PLACES = (("debian", "{}"), ("debian", "{}-updates"), ("debian-security", "{}-security"))


class Archive:
    """Packages of a suite, kept in `folder`."""

    def __init__(self, folder: pathlib.Path, suite: str) -> None:
        self.folder = folder
        for part in ("archives/partial", "state/partial", "lists/partial"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        # An empty status file: apt then lists a whole system, down to the C library.
        (folder / "status").touch()
        sources = [
            f"deb [signed-by={_KEYRING}] http://deb.debian.org/{place} {name.format(suite)} main\n" for place, name in _PLACES
        ]
        (folder / "sources.list").write_text("".join(sources))

    def _apt(self, *arguments: str) -> str:
        if not shutil.which("apt-get"):
            raise LabError("The radio lab is built from Debian packages, and there is no apt-get here.")
        options = {
            "Dir::State::status": self.folder / "status",
            "Dir::State::lists": self.folder / "lists",
            "Dir::Etc::sourcelist": self.folder / "sources.list",
            "Dir::Etc::sourceparts": "-",
            "Dir::Cache": self.folder,
            "Dir::Cache::archives": self.folder / "archives",
            "Dir::Cache::pkgcache": "",
            "Dir::Cache::srcpkgcache": "",
            "Dir::Log": self.folder / "state",
            "APT::Install-Recommends": "false",
            "APT::Get::Assume-Yes": "true",
            "APT::Sandbox::User": "root",
            "Debug::NoLocking": "true",
        }
        command = ["apt-get", "-q"]
        for name, value in options.items():
            command += ["-o", f"{name}={value}"]

        def run(*command: object) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [str(part) for part in command], capture_output=True, text=True, cwd=self.folder / "archives",
                env={**os.environ, "LC_ALL": "C"},
            )  # fmt: skip

        done = run(*command, *arguments)
        if done.returncode != 0:
            # The package lists may be absent or outdated.
            run(*command, "update")
            done = run(*command, *arguments)
        if done.returncode != 0:
            raise LabError(f"apt-get {' '.join(arguments)} failed:\n{done.stderr.strip()}")
        return done.stdout

    def closure(self, names: list[str]) -> list[str]:
        """The file names of these packages and their dependencies."""
        # apt does not list packages that it has already, so it gets an empty folder.
        listing = self._apt("-o", f"Dir::Cache::archives={self.folder / 'state'}", "install", "--print-uris", *names)
        return re.findall(r"^'[^']+' (\S+\.deb) \d+", listing, re.MULTILINE)

    def fetch(self, names: list[str]) -> list[pathlib.Path]:
        """Downloads these packages and their dependencies."""
        files = [self.folder / "archives" / name for name in self.closure(names)]
        if not all(file.exists() for file in files):
            self._apt("install", "--download-only", *names)
        return files

    def fetch_kernel(self, name: str) -> pathlib.Path:
        """Downloads the package that contains the kernel, without its dependencies. `name` is that package, or one that
        always depends on the newest kernel."""
        kernels = [file for file in self.closure([name]) if re.match(r"linux-image-\d+\.\d+\.\d+", file)]
        if len(kernels) != 1:
            raise LabError(f"{name} brings {len(kernels)} kernels instead of one.")
        (kernel,) = kernels
        path = self.folder / "archives" / kernel
        if not path.exists():
            self._apt("download", kernel.split("_")[0])
        return path


def unpack(package: pathlib.Path, into: pathlib.Path, without: tuple[str, ...] = ()) -> None:
    """Unpacks a package's files. Its scripts do not run: the guest has its own init."""
    into.mkdir(parents=True, exist_ok=True)
    contents = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE)
    excluded = [f"--exclude={pattern}" for pattern in without]
    tar = ["tar", "-x", "-C", str(into), "--keep-directory-symlink", "--no-same-owner", *excluded]
    done = subprocess.run(tar, stdin=contents.stdout, capture_output=True, text=True)
    if contents.wait() != 0 or done.returncode != 0:
        raise LabError(f"Cannot unpack {package.name}: {done.stderr.strip()}")
