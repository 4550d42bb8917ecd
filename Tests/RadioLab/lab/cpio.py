"""Writes the archive format of initial RAM disks (cpio's "new ASCII") without an external tool."""

import pathlib
import stat


class Archive:
    def __init__(self) -> None:
        self._bytes = bytearray()
        self._inode = 0

    def _entry(self, name: str, mode: int, data: bytes = b"") -> None:
        self._inode += 1
        path = name.encode() + b"\0"
        fields = (self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(path), 0)
        self._bytes += b"070701" + b"".join(b"%08X" % field for field in fields) + path
        self._pad()
        self._bytes += data
        self._pad()

    def _pad(self) -> None:
        self._bytes += bytes(-len(self._bytes) % 4)

    def folder(self, name: str) -> None:
        self._entry(name, stat.S_IFDIR | 0o755)

    def file(self, name: str, data: bytes, mode: int = 0o644) -> None:
        self._entry(name, stat.S_IFREG | mode, data)

    def write(self, path: pathlib.Path) -> None:
        self._entry("TRAILER!!!", 0)
        path.write_bytes(self._bytes)
