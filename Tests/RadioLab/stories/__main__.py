"""`python -m stories [--short] [--kernel PACKAGE] [--jobs N] [NAME…]`: runs the tests, or those whose name contains one of
the given; with another of Debian's kernels than the usual one; at most N at a time."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import unittest

from lab import processes
from lab.errors import LabError
from lab.turns import PLACES

SHORT = "stories.test_short"
# The longest first: a long test that began last would leave the other cores idle.
ALL = [
    "stories.test_whole", "stories.test_ordinary_chip", "stories.test_restart", "stories.test_other_clients", "stories.test_faults",
    "stories.test_families", "stories.test_conformance", SHORT,
    "stories.test_trouble", "stories.test_deaf_adapter", "stories.test_stale_table", "stories.test_interruption", "stories.test_lab",
    "stories.test_devices",
]  # fmt: skip


class Result(unittest.TextTestResult):
    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._began = time.monotonic()

    def addError(self, test, error) -> None:
        self._keep_logs(test)
        super().addError(test, error)

    def addFailure(self, test, error) -> None:
        self._keep_logs(test)
        super().addFailure(test, error)

    def addSubTest(self, test, subtest, error) -> None:
        if error is not None:
            self._keep_logs(test)
        super().addSubTest(test, subtest, error)

    def _keep_logs(self, test) -> None:
        if hasattr(test, "lab"):
            test.lab.kept = True

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        self.stream.writeln(f"    {time.monotonic() - self._began:.0f} s")
        self.stream.flush()


def each(suite: unittest.TestSuite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


def tell(chosen: list[unittest.TestCase]) -> int:
    runner = unittest.TextTestRunner(verbosity=2, resultclass=Result)
    result = runner.run(unittest.TestSuite(chosen))
    # No test is ever skipped: one that cannot run has failed.
    return 0 if result.wasSuccessful() and not result.skipped and result.testsRun == len(chosen) else 1


def tell_side_by_side(names: list[str], jobs: int) -> int:
    """Each test in a process of its own, whose output is printed when it has ended."""
    began, waiting, failed = time.monotonic(), list(names), []
    running: dict[str, tuple[subprocess.Popen, tempfile._TemporaryFileWrapper]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            name, log = waiting.pop(0), tempfile.NamedTemporaryFile()
            command = [sys.executable, "-m", "stories", "--exactly", name]
            running[name] = (processes.start(command, stdout=log, stderr=log), log)
        time.sleep(0.1)
        for name, (process, log) in list(running.items()):
            if process.poll() is not None:
                del running[name]
                with open(log.name, errors="replace") as file:
                    print(file.read(), end="", file=sys.stderr, flush=True)
                log.close()
                if process.returncode != 0:
                    failed.append(name)
    words = "all passed" if not failed else f"{len(failed)} FAILED: {', '.join(failed)}"
    print(f"\n{len(names)} tests in {time.monotonic() - began:.0f} s: {words}", file=sys.stderr)
    return 1 if failed else 0


def main() -> int:
    processes.turn_signals_into_exits()
    parser = argparse.ArgumentParser(prog="Tests/RadioLab/run")
    parser.add_argument("--short", action="store_true", help="only the bounded share")
    parser.add_argument("--kernel", metavar="PACKAGE", help="such as linux-image-6.12-amd64")
    parser.add_argument("--jobs", metavar="N", type=int, default=PLACES, help="at most N at a time; by default as many as there are cores")
    parser.add_argument("--exactly", metavar="TEST", help="only this test")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only tests whose name contains one of these")
    options = parser.parse_args()
    names, modules = options.names, [SHORT] if options.short else ALL
    if options.kernel:
        os.environ["RADIOLAB_KERNEL"] = options.kernel
    loaded = list(each(unittest.defaultTestLoader.loadTestsFromNames(modules)))
    if options.exactly:
        return tell([test for test in loaded if test.id() == options.exactly])
    chosen = [test for test in loaded if not names or any(name in test.id() for name in names)]
    if not chosen:
        print("There is no such test.", file=sys.stderr)
        return 64
    if len(chosen) == 1 or options.jobs == 1:
        return tell(chosen)
    return tell_side_by_side([test.id() for test in chosen], options.jobs)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        sys.exit(f"radio lab: {error}")
