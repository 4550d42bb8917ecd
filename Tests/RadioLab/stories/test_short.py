"""The bounded share that continuous integration runs: boot, 12 rooms, 3 of them with a fault; and a room of each family."""

from . import families
from .story import SUCCESS, Story


class TwelveRoomsAndThreeFaults(Story):
    rooms = 12

    def furnish(self) -> None:
        self.refusing, self.dropping, self.dead = (self.house.rooms[number] for number in (3, 6, 9))
        self.refusing.faults = {"save_error": "flash write failed"}
        self.dropping.faults = {"drop_at_write": 2, "connections": 1}
        self.dead.faults = {"dead": True}

    def test_the_healthy_are_provisioned_and_the_faulty_are_told_apart(self) -> None:
        done = self.apply()
        report = self.check_truth()
        for room in self.house.rooms:
            outcome = report[room.name]["outcome"]
            with self.subTest(room=room.name, faults=room.faults, reason=report[room.name]["reason"]):
                if room is self.refusing:
                    self.assertEqual(outcome, "failed")
                    self.assertIn("flash write failed", report[room.name]["reason"])
                elif room is self.dropping:
                    self.assertEqual(outcome, "provisioned_after_retry")
                elif room is self.dead:
                    self.assertEqual(outcome, "unreachable")
                else:
                    self.assertIn(outcome, SUCCESS)
        self.assertEqual(done.code, 100, done.err)
        self.check_clean()
        self.check_secrets()


class OneOfEach(families.OneOfEach):
    def test_each_family_is_provisioned_and_the_keyboard_left_alone(self) -> None:
        self.provision()
