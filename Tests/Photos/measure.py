"""Measures the share of photos of labels that is read: `measure.py COUNT PROGRAM...`, COUNT photos of each kind.

A PROGRAM is roboprov, which reads with zxing-cpp in its process for photos (or `chroot DIRECTORY roboprov`, for that of another
Debian). Where ZBar and libdmtx are installed, they read the same photos, for comparison.
"""

import ctypes
import ctypes.util
import resource
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations_with_replacement

from photos import CONDITIONS, SYMBOLOGIES, Photo, no_code, photo, two_codes
from PIL import Image

Reader = Callable[[Image.Image], set[str]]


def by_program(*command: str) -> Reader:
    """Reads as roboprov does: the picture goes to a process, and its texts come back."""

    def read(picture: Image.Image) -> set[str]:
        given = struct.pack("=II", *picture.size) + picture.tobytes()
        done = subprocess.run(command, input=given, capture_output=True, check=False)
        if done.returncode != 0:
            return {f"status {done.returncode}"}
        texts, rest = set(), done.stdout
        while rest:
            (length,) = struct.unpack_from("=H", rest)
            texts.add(rest[2 : 2 + length].decode())
            rest = rest[2 + length :]
        return texts

    return read


def by_zbar_and_dmtx() -> Reader | None:
    """Reads with ZBar (QR, Code 128) and libdmtx (DataMatrix), for at most 0.5 s."""
    names = [ctypes.util.find_library(name) for name in ("zbar", "dmtx")]
    if None in names:
        return None
    zbar, dmtx = (ctypes.CDLL(name) for name in names)
    for library, name in [
        (zbar, "zbar_image_scanner_create"),
        (zbar, "zbar_image_create"),
        (zbar, "zbar_image_first_symbol"),
        (zbar, "zbar_symbol_next"),
        (zbar, "zbar_symbol_get_data"),
        (dmtx, "dmtxImageCreate"),
        (dmtx, "dmtxDecodeCreate"),
        (dmtx, "dmtxRegionFindNext"),
        (dmtx, "dmtxDecodeMatrixRegion"),
    ]:
        getattr(library, name).restype = ctypes.c_void_p

    class Time(ctypes.Structure):
        _fields_ = [("seconds", ctypes.c_long), ("microseconds", ctypes.c_ulong)]

    class Message(ctypes.Structure):
        _fields_ = [
            ("array_size", ctypes.c_size_t), ("code_size", ctypes.c_size_t), ("output_size", ctypes.c_size_t),
            ("output_index", ctypes.c_int), ("pad_count", ctypes.c_int), ("fnc1", ctypes.c_int), ("array", ctypes.c_void_p),
            ("code", ctypes.c_void_p), ("output", ctypes.c_void_p),
        ]  # fmt: skip

    dmtx.dmtxTimeNow.restype = dmtx.dmtxTimeAdd.restype = Time
    pointer = ctypes.c_void_p

    def read(picture: Image.Image) -> set[str]:
        texts, pixels = set(), picture.tobytes()
        scanner, image = pointer(zbar.zbar_image_scanner_create()), pointer(zbar.zbar_image_create())
        zbar.zbar_image_scanner_set_config(scanner, 0, 0, 0)
        for symbol in (64, 128):
            zbar.zbar_image_scanner_set_config(scanner, symbol, 0, 1)
        zbar.zbar_image_set_format(image, ctypes.c_ulong(0x30303859))
        zbar.zbar_image_set_size(image, *picture.size)
        zbar.zbar_image_set_data(image, pixels, ctypes.c_ulong(len(pixels)), None)
        zbar.zbar_scan_image(scanner, image)
        symbol_place = zbar.zbar_image_first_symbol(image)
        while symbol_place:
            texts.add(ctypes.string_at(zbar.zbar_symbol_get_data(pointer(symbol_place))).decode(errors="replace"))
            symbol_place = zbar.zbar_symbol_next(pointer(symbol_place))
        zbar.zbar_image_destroy(image)
        zbar.zbar_image_scanner_destroy(scanner)

        source = pointer(dmtx.dmtxImageCreate(pixels, *picture.size, 300))  # DmtxPack8bppK
        decoder = pointer(dmtx.dmtxDecodeCreate(source, 1))
        end = dmtx.dmtxTimeAdd(dmtx.dmtxTimeNow(), 500)
        while region := dmtx.dmtxRegionFindNext(decoder, ctypes.byref(end)):
            if found := dmtx.dmtxDecodeMatrixRegion(decoder, pointer(region), -1):
                message = Message.from_address(found)
                texts.add(ctypes.string_at(message.output, message.output_index).decode(errors="replace"))
        dmtx.dmtxDecodeDestroy(ctypes.byref(decoder))
        dmtx.dmtxImageDestroy(ctypes.byref(source))
        return texts

    return read


def readers(programs: list[str]) -> dict[str, Reader]:
    """The readers by their names."""
    found = {program[-24:]: by_program(*program.split(), "---read-photo") for program in programs}
    if other := by_zbar_and_dmtx():
        found["ZBar, libdmtx"] = other
    return found


@dataclass
class Result:
    """What a reader made of the photos of one kind."""

    photos: int = 0
    read: int = 0
    wrong: int = 0
    # The most memory of a process in KiB.
    memory: int = 0
    seconds: list[float] = field(default_factory=list)


def kinds(count: int) -> Iterator[tuple[str, str, Callable[..., Photo], list[tuple[object, ...]]]]:
    """Each kind of photos: its condition, its symbology, and how its photos are made."""
    for condition in CONDITIONS:
        for symbology, names in SYMBOLOGIES.items():
            arguments = [(condition, symbology, names[number % len(names)], number) for number in range(count)]
            yield condition, symbology, photo, list(arguments)
    for first, second in combinations_with_replacement(SYMBOLOGIES, 2):
        yield "two codes", f"{first}, {second}", two_codes, [(first, second, number) for number in range(count)]
    yield "no code", "", no_code, [(number,) for number in range(count)]


def measure(programs: list[str], make: Callable[..., Photo], arguments: list[tuple[object, ...]]) -> dict[str, Result]:
    """What each reader makes of the photos of one kind."""
    results = {name: Result() for name in readers(programs)}
    for each in arguments:
        taken = make(*each)
        for name, read in readers(programs).items():
            start = time.monotonic()
            texts = read(taken.picture)
            result = results[name]
            result.seconds.append(time.monotonic() - start)
            result.photos += 1
            result.read += taken.texts <= texts
            result.wrong += bool(texts - taken.texts)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    for result in results.values():
        result.memory = memory
    return results


def main() -> None:
    """Prints the shares, and what reading costs."""
    count, programs = int(sys.argv[1]), sys.argv[2:]
    names = list(readers(programs))
    totals = {name: Result() for name in names}
    everything = list(kinds(count))
    print(f"{'share read (photos with a wrong text)':56}" + "".join(f"{name:>26}" for name in names))
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(measure, programs, make, arguments) for _, _, make, arguments in everything]
        for (condition, symbology, _, _), job in zip(everything, jobs, strict=True):
            line = f"{condition:36}{symbology:20}"
            for name, result in job.result().items():
                wrong = f" ({result.wrong})" if result.wrong else ""
                line += f"{f'{100 * result.read / result.photos:.0f} %{wrong}':>26}"
                total = totals[name]
                total.photos, total.read = total.photos + result.photos, total.read + result.read
                total.wrong, total.seconds = total.wrong + result.wrong, total.seconds + result.seconds
                total.memory = max(total.memory, result.memory)
            print(line, flush=True)
    for name, total in totals.items():
        times = sorted(total.seconds)
        print(
            f"{name}: {100 * total.read / total.photos:.1f} % of {total.photos} photos, {total.wrong} with a wrong text; "
            f"{1000 * times[len(times) // 2]:.0f} ms in the middle, {1000 * times[-1]:.0f} ms at most"
        )
    print(f"most memory of a process: {max(total.memory for total in totals.values()) >> 10} MiB")


if __name__ == "__main__":
    main()
