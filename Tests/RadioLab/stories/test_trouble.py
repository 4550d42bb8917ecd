"""What befalls the host in mid-run: its adapters, its daemon, its other users."""

from lab.lab import adapter_address

from .story import Story


class Trouble(Story):
    """The run completes or ends cleanly; no room is wrong; and a run after it, in peace, does the rest."""

    rooms = 8

    def begin(self) -> None:
        """A run that is in the middle of its third sensor: connected to it, and not yet done writing."""
        self.running = self.start_apply()
        self.addCleanup(lambda: None if self.running.ended else self.running.signal("KILL"))
        third = self.lab.radio.wait_for("connected", times=3, timeout=240)
        self.lab.radio.wait_for("write", timeout=60, address=third["address"])

    def end_well(self) -> None:
        done = self.finish(self.running)
        self.assertIn(done.code, (0, 69, 100), done.err)
        self.check_truth()
        if done.code != 0:
            self.lab.wait_for_adapters()
            self.press_buttons_where_needed()
            again = self.apply()
            self.assertEqual(again.code, 0, again.err)
        self.check_all_done()
        self.check_clean()

    def press_buttons_where_needed(self) -> None:
        """A room that needs hands gets them."""
        for name, room in self.report().items():
            if room["outcome"] in ("needs_hands", "unconfirmed"):
                address = self.house.room(name).address
                if self.lab.radio.sensors()[address]["life"] != "beacon":
                    self.lab.radio.do("reset", address=address)


class OneAdapter(Trouble):
    places = [(6, 3)]

    def test_adapter_powered_off_and_on(self) -> None:
        self.begin()
        self.lab.power(0, False)
        self.lab.power(0, True)
        self.end_well()

    def test_adapter_unplugged_and_plugged_in_again(self) -> None:
        self.begin()
        self.lab.unplug(0)
        self.lab.run("sleep", "1")
        self.lab.plug(0)
        self.lab.wait_for_adapters()
        self.end_well()

    def test_bluetoothd_killed_and_started(self) -> None:
        self.begin()
        self.bluetoothd("kill")
        self.bluetoothd("start")
        self.lab.wait_for_adapters()
        self.end_well()

    def test_bluetoothd_stopped_and_started(self) -> None:
        self.begin()
        self.bluetoothd("stop")
        self.bluetoothd("start")
        self.lab.wait_for_adapters()
        self.end_well()

    def test_a_foreign_client_discovers_all_the_time(self) -> None:
        foreign = self.start_client("discover.py", "600")
        self.begin()
        done = self.finish(self.running, timeout=900)
        foreign.signal("KILL")
        foreign.wait(10)
        self.assertEqual(done.code, 0, done.err)
        self.check_all_done()
        self.check_clean()


class TwoAdapters(Trouble):
    places = [(9, 3), (12, 3)]

    def test_come_back_under_each_others_names(self) -> None:
        self.begin()
        self.lab.unplug(0)
        self.lab.unplug(1)
        self.lab.run("sleep", "1")
        self.lab.plug(1)
        self.lab.radio.wait_for("plugged", times=2, adapter=adapter_address(1))
        self.lab.run("sleep", "1")
        self.lab.plug(0)
        self.lab.wait_for_adapters()
        self.end_well()


class ThreeAdapters(Trouble):
    """A whole building, with many conversations under way at once when it befalls them."""

    places = Story.places
    rooms = 40

    def test_one_is_unplugged_for_a_while_and_bluetoothd_restarted(self) -> None:
        self.running = self.start_apply()
        self.addCleanup(lambda: None if self.running.ended else self.running.signal("KILL"))
        self.lab.radio.wait_for("connected", times=8, timeout=240)
        self.lab.unplug(1)
        self.lab.run("sleep", "3")
        self.lab.plug(1)
        self.lab.radio.wait_for("connected", times=24, timeout=240)
        self.bluetoothd("kill")
        self.lab.run("sleep", "1")
        self.bluetoothd("start")
        self.lab.wait_for_adapters()
        self.end_well()
