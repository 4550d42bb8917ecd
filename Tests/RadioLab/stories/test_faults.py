"""Every fault that the sensors know, each at a sensor of its own, and what may be said of its room."""

from .story import SUCCESS, Story

DONE = set(SUCCESS)

# What is wrong, and which outcomes are true then.
FAULTS: list[tuple[dict, set[str]]] = [
    ({"no_ready": True}, DONE),
    ({"first_status": "error:left over"}, DONE),
    ({"no_notify": True}, DONE),
    ({"no_wifi_scan": True}, DONE),
    ({"other_table": True}, DONE),
    ({"slow": 1.0}, DONE),
    ({"no_saved": True}, DONE),
    ({"silent_reboot": True}, DONE),
    ({"reboot_before_answer": True}, DONE),
    ({"drop_at_write": 1, "connections": 1}, {"provisioned_after_retry"}),
    ({"reject": "room", "connections": 1}, DONE | {"failed"}),  # That it goes away is not for roboprov to expect.
    ({"reject": "ssid"}, {"failed"}),
    ({"reject": "minor", "reject_code": 0x0D}, {"failed"}),
    ({"save_error": "no space"}, {"failed"}),
    ({"ignore_save": True}, {"failed", "unconfirmed", "needs_hands"}),
    ({"wrong_minor": 9}, {"failed", "unconfirmed", "needs_hands"}),
    ({"no_beacon": True}, {"unconfirmed", "needs_hands"}),
    ({"no_save_then_reboot": True}, {"failed", "unconfirmed", "needs_hands"}),
    ({"no_service": True}, {"failed", "needs_hands", "unreachable"}),
    ({"drop_at_write": 3}, {"failed", "unreachable"}),
    ({"dead": True}, {"unreachable"}),
]


class EveryFault(Story):
    rooms = len(FAULTS)

    def furnish(self) -> None:
        for room, (faults, _) in zip(self.house.rooms, FAULTS, strict=True):
            room.faults = faults
            room.wifi = "office"

    def test_each_ends_as_it_must(self) -> None:
        done = self.apply(timeout=1800)
        report = self.check_truth()
        for room, (faults, outcomes) in zip(self.house.rooms, FAULTS, strict=True):
            told = report[room.name]
            print(f"{faults}: {told['outcome']} ({told['reason_code']}), attempts {told['attempts']}")
            with self.subTest(faults=faults, reason=told["reason"], attempts=told["attempts"]):
                self.assertIn(told["outcome"], outcomes)
        self.assertEqual(done.code, 100, done.err)
        self.check_clean()
        self.check_secrets()
