"""`python -m stories [--short] [--kernel PACKAGE] [NAME…]`: tells the stories, or those whose name contains one of the
given; with a kernel of Debian's that is not the usual one."""

import argparse
import os
import sys
import time
import unittest

from lab import processes
from lab.errors import LabError

SHORT = "stories.test_short"
ALL = [
    "stories.test_lab", SHORT, "stories.test_whole", "stories.test_faults", "stories.test_trouble", "stories.test_stale_table",
    "stories.test_interruption", "stories.test_conformance",
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


def main() -> int:
    processes.turn_signals_into_exits()
    parser = argparse.ArgumentParser(prog="Tests/RadioLab/run")
    parser.add_argument("--short", action="store_true", help="the bounded share alone")
    parser.add_argument("--kernel", metavar="PACKAGE", help="such as linux-image-6.12-amd64")
    parser.add_argument("names", nargs="*", metavar="NAME", help="what the stories' names contain")
    options = parser.parse_args()
    names, modules = options.names, [SHORT] if options.short else ALL
    if options.kernel:
        os.environ["RADIOLAB_KERNEL"] = options.kernel
    loaded = unittest.defaultTestLoader.loadTestsFromNames(modules)
    chosen = [test for test in each(loaded) if not names or any(name in test.id() for name in names)]
    if not chosen:
        print("There is no such story.", file=sys.stderr)
        return 64
    runner = unittest.TextTestRunner(verbosity=2, resultclass=Result)
    result = runner.run(unittest.TestSuite(chosen))
    # Nothing is ever skipped: what cannot be tried has failed.
    return 0 if result.wasSuccessful() and not result.skipped and result.testsRun == len(chosen) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        sys.exit(f"radio lab: {error}")
