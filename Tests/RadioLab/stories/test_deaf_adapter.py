"""An adapter that discovers and hears nothing is suspected before the sensors are: discovery is started again, the adapter
is switched off and on, and where nothing helps the adapter is reported, once."""

from lab.lab import adapter_address

from .story import LOSSLESS, SUCCESS, Story


class DeafAdapter(Story):
    places = [(6, 3)]
    rooms = 12
    propagation = LOSSLESS

    def deafen(self, until: str, number: int = 0) -> None:
        self.lab.radio.do("deafen", address=adapter_address(number), until=until)

    def check_provisioned(self) -> None:
        done = self.apply()
        print(f"exit {done.code} in {done.seconds:.0f} s, charged {self.charges()}", flush=True)
        self.assertEqual(done.code, 0, done.err)
        report = self.check_all_done()
        self.assertEqual({room["outcome"] for room in report.values()} - set(SUCCESS), set())
        self.check_nothing_charged()
        self.check_clean()

    def test_until_its_scan_ends(self) -> None:
        self.deafen("scan")
        self.check_provisioned()

    def test_until_it_is_switched_off_and_on(self) -> None:
        self.deafen("reset")
        self.check_provisioned()

    def test_for_good(self) -> None:
        self.deafen("never")
        done = self.apply()
        said = done.out + done.err
        print(f"exit {done.code} in {done.seconds:.0f} s\n{said}", flush=True)
        self.assertNotEqual(done.code, 0)
        report = self.check_truth()
        self.assertNotIn("has power", said, "no sensor is suspected")
        self.assertEqual({room["attempts"] for room in report.values()}, {0})
        faults = [(event["data"]["fault"], event["data"].get("power_cycled", False)) for event in self.events("adapter_faulted")]
        self.assertEqual(faults, [("hears_nothing", True), ("hears_nothing", False)], "it is switched off and on, then reported")
        for text in (done.out, done.err):
            self.assertLessEqual(" ".join(text.split()).count("No adapter heard any device"), 1, "it is said once, not for each room")
        self.deafen("scan")
        self.check_provisioned()


class OneOfThreeIsDeaf(DeafAdapter):
    places = [(6, 3), (3, 1), (9, 5)]

    def test_for_good(self) -> None:
        self.deafen("never", 1)
        self.check_provisioned()
