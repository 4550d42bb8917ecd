"""A run that is ended in the middle."""

import json
import signal

from .story import Story


class Interruption(Story):
    rooms = 8
    places = [(6, 3)]

    def test_ctrl_c_leaves_nothing_connected_and_reports_whole(self) -> None:
        running = self.start_apply()
        self.lab.radio.wait_for("connected", times=3, timeout=240)
        running.signal("INT")
        done = self.finish(running, timeout=60)
        self.assertEqual(done.code, 130, done.err)
        report = self.check_truth()
        self.assertIn("cancelled", {room["outcome"] for room in report.values()})
        self.check_clean()
        self.check_secrets()

    def test_after_kill_9_the_next_run_releases_what_was_left_connected(self) -> None:
        # The link stays when its owner dies: bluetoothd holds it, not the client.
        running = self.start_apply()
        third = self.lab.radio.wait_for("connected", times=3, timeout=240)
        self.lab.radio.wait_for("write", timeout=60, address=third["address"])
        running.signal("KILL")
        done = self.finish(running, timeout=20)
        self.assertEqual(done.code, -signal.SIGKILL)
        (journal,) = (self.lab.share / "reports/radio-lab").glob("*/journal.jsonl")
        for line in journal.read_text().splitlines()[:-1]:
            json.loads(line)
        held = [adapter["connections"] for adapter in self.lab.radio.state()["adapters"]]
        self.assertGreaterEqual(held[0], 1, "the dead run's connections are held by bluetoothd")
        again = self.apply()
        self.assertEqual(again.code, 0, again.err)
        self.check_all_done()
        self.check_clean()
