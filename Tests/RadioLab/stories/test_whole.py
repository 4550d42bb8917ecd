"""A whole building."""

import time

from .story import SUCCESS, Story


class FortyRooms(Story):
    rooms = 40

    def test_all_are_provisioned_and_nothing_is_left_behind(self) -> None:
        began = time.monotonic()
        done = self.apply(timeout=900)
        took = time.monotonic() - began
        report = self.check_all_done()
        self.assertEqual({room["outcome"] for room in report.values()} - set(SUCCESS), set())
        self.assertEqual(done.code, 0, done.err)
        self.check_clean()
        self.check_secrets()
        print(f"40 rooms in {took:.0f} s: {40 / took * 60:.1f} a minute")

    def test_a_second_run_writes_nothing(self) -> None:
        self.apply(timeout=900)
        before = self.lab.radio.sensors()
        done = self.apply(timeout=900)
        report = self.check_all_done()
        self.assertEqual({room["outcome"] for room in report.values()}, {"already_provisioned"})
        self.assertEqual(done.code, 0, done.err)
        for address, sensor in self.lab.radio.sensors().items():
            self.assertEqual(sensor["writes"], before[address]["writes"])
