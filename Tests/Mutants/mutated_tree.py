"""A copy of the sources with wrong changes, and runs of its tests."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent

# Goes into each folder of Sources with a changed file.
HELPER = """import Glibc

/// The wrong change that applies, and those that were reached.
enum Mutant {
  private static let number = getenv("ROBOPROV_MUTANT").flatMap { Int(String(cString: $0)) } ?? -1
  /// A byte for each change, in a file that all processes share. Their numbers are below 65536 then.
  nonisolated(unsafe) private static let reached: UnsafeMutablePointer<UInt8>? = {
    guard let path = getenv("ROBOPROV_REACHED") else { return nil }
    let file = open(path, O_RDWR)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return mmap(nil, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0).assumingMemoryBound(to: UInt8.self)
  }()

  static func isOn(_ number: Int) -> Bool {
    if let reached { reached[number] = 1 }
    return self.number == number
  }
}
"""


def update(path: Path, text: str | bytes) -> None:
    """Writes a file unless it is up to date, because an unchanged file is not compiled again."""
    data = text.encode() if isinstance(text, str) else text
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def make_copy(copy: Path, texts: dict[str, str]) -> None:
    """Copies the project with other texts of these files, and with the helper in each folder of Sources that has one."""
    texts = dict(texts)
    for folder in {path.split("/")[1] for path in texts if path.startswith("Sources/")}:
        texts[f"Sources/{folder}/Mutant.swift"] = HELPER
    # The tests' Python packages.
    copy.mkdir(parents=True, exist_ok=True)
    for name in [".build-python", ".build-interop"]:
        if (ROOT / name).exists() and not (copy / name).exists():
            (copy / name).symlink_to(ROOT / name)
    wanted = set(texts)
    for folder, folders, files in os.walk(ROOT):
        place = Path(folder).relative_to(ROOT)
        folders[:] = [name for name in folders if not name.startswith(".") and (place != Path("reports") or name == "sample")]
        wanted.update(str(place / name) for name in files if not name.startswith("."))
    for path in sorted(wanted):
        update(copy / path, texts[path] if path in texts else (ROOT / path).read_bytes())
        if path not in texts:
            shutil.copymode(ROOT / path, copy / path)
    places = []
    for folder, folders, files in os.walk(copy):
        place = Path(folder).relative_to(copy)
        places.append(copy / place)
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if str(place / name) not in wanted and not name.startswith("."):
                (copy / place / name).unlink()
    for folder_left in reversed(places):
        if not any(folder_left.iterdir()):
            folder_left.rmdir()


class Run:
    """One run of tests: those that ran, those that failed, and the end.

    With `brief` it ends with the first failure.
    """

    def __init__(
        self,
        copy: Path,
        filters: list[str],
        number: int | None = None,
        limit: float | None = None,
        reached: Path | None = None,
        brief: bool = False,
    ) -> None:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("ROBOPROV_")}
        # Traps are expected, and the report of each takes seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment["TZ"] = "UTC"
        if number is not None:
            environment["ROBOPROV_MUTANT"] = str(number)
        if reached:
            environment["ROBOPROV_REACHED"] = str(reached)
        self.end: int | None = None
        self.ran: set[str] = set()
        self.failed: set[str] = set()
        with tempfile.TemporaryDirectory(prefix="roboprov-mutant.", ignore_cleanup_errors=True) as folder:
            # Some tests run a program as another user.
            os.chmod(folder, 0o711)
            environment["TMPDIR"] = folder
            stream = Path(folder) / "events"
            tests = copy / ".build/debug/roboprovPackageTests.xctest"
            command = [str(tests), "--testing-library", "swift-testing", "--event-stream-output-path", str(stream)]
            for pattern in filters:
                command += ["--filter", pattern]
            began = time.monotonic()
            with open(Path(folder) / "output", "w+") as output:
                process = subprocess.Popen(
                    command, cwd=copy, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
                )
                self.wait(process, stream, None if limit is None else began + limit, brief)
                output.seek(0)
                self.output = output.read()
        self.seconds = time.monotonic() - began

    def wait(self, process: subprocess.Popen[bytes], stream: Path, deadline: float | None, brief: bool) -> None:
        events, rest = None, ""
        while self.end is None:
            try:
                self.end = process.wait(0.1 if brief else None if deadline is None else max(deadline - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                pass
            if events is None and stream.exists():
                events = stream.open(errors="replace")
            *lines, rest = (rest + (events.read() if events else "")).split("\n")
            for line in lines:
                self.take(line)
            is_late = deadline is not None and time.monotonic() >= deadline
            if self.end is None and (is_late or (brief and self.failed)):
                # The tests' own programs as well.
                os.killpg(process.pid, 9)
                process.wait()
                break
        if events:
            events.close()

    def take(self, line: str) -> None:
        try:
            record: dict[str, Any] = json.loads(line)
        except ValueError:
            return
        if record.get("kind") != "event":
            return
        event = record["payload"]
        test = re.sub(r"\(.*", "", event.get("testID", "")).partition(".")[2]
        if "/" not in test:
            return
        if event["kind"] == "testStarted":
            self.ran.add(test)
        elif event["kind"] == "issueRecorded" and not event.get("issue", {}).get("isKnown"):
            self.failed.add(test)

    @property
    def verdict(self) -> str | None:
        """The result in words; None if every test passed."""
        if self.end is None:
            return "" if self.failed else f"hang: no end within {self.seconds:.0f} s"
        if self.end < 0:
            return f"trap: signal {-self.end}"
        if self.end == 0:
            return None
        return ""
