"""The systems that the guest can be: releases of Debian, each with its BlueZ and its kernels."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Guest:
    release: str
    suite: str  # in Debian's archive
    bluez: str
    # The lab uses the first of these kernels that boots without an oops. Those without a version of three parts are whatever
    # the archive has at the time.
    kernels: tuple[str, ...]


GUESTS = {
    guest.release: guest
    for guest in (
        # 6.1.192, which is newer than the first, oopses when an adapter appears.
        Guest("12", "bookworm", "5.66", ("linux-image-6.1.0-47-amd64", "linux-image-6.12-amd64", "linux-image-amd64")),
        Guest("13", "trixie", "5.82", ("linux-image-amd64", "linux-image-rt-amd64")),
    )
}


def chosen() -> Guest:
    """The guest of this test run (`--guest`)."""
    return GUESTS[os.environ.get("RADIOLAB_GUEST") or "12"]
