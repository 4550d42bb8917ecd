"""Limits the number of labs that run on a machine at once. With more guests than cores, every guest is late, and a test case
shows only how busy the machine was."""

import fcntl
import os
import pathlib
import sys
import tempfile
import time

PLACES = max(1, min(4, os.cpu_count() or 1))  # A guest is idle most of the time, and takes 1 GB.
_TIMEOUT = 3600  # s; a whole `make test-radio` takes less


class Turn:
    """A turn, held during the life of a lab. The kernel releases it when the process ends in any way."""

    def __init__(self, folder: pathlib.Path | None = None, places: int = PLACES) -> None:
        self._folder = folder or pathlib.Path(tempfile.gettempdir()) / f"radiolab-turns-{os.getuid()}"
        self._folder.mkdir(exist_ok=True)
        self._places = places
        self._place = self._take()

    def _take(self) -> int:
        began, is_announced = time.monotonic(), False
        while True:
            for number in range(self._places):
                place = os.open(self._folder / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return place
                except BlockingIOError:
                    os.close(place)
            if time.monotonic() - began > _TIMEOUT:
                raise TimeoutError(f"radio lab: no turn within {_TIMEOUT} s (see {self._folder})")
            if not is_announced and time.monotonic() - began > 2:
                is_announced = True
                print("radio lab: waiting for another lab on this machine to end", file=sys.stderr, flush=True)
            time.sleep(0.5)

    def give_back(self) -> None:
        if self._place >= 0:
            os.close(self._place)
            self._place = -1
