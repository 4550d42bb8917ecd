"""BlueZ keeps the table of attributes of a sensor it knows. When the sensor's firmware has changed since, the table
is wrong: it has to be recognised, and the sensor forgotten."""

from lab.lab import adapter_address

from .story import SUCCESS, Story


class StaleTable(Story):
    places = [(6, 3)]
    rooms = 3

    def test_recognised_forgotten_and_done(self) -> None:
        for room in self.house.rooms:
            self.lab.radio.do("change", address=room.address, faults={"renamed": "minor"})
            self.lab.radio.do("power", address=room.address, on=True)
        addresses = [room.address for room in self.house.rooms]
        self.client("connect.py", adapter_address(0), *addresses, timeout=120).must()
        cached = self.lab.run("find", "/var/lib/bluetooth", "-path", "*cache*", "-name", "7C*").must().out
        self.assertEqual(len(cached.split()), len(addresses))

        for room in self.house.rooms:
            self.lab.radio.do("change", address=room.address, faults={})
            self.lab.radio.do("power", address=room.address, on=True)
        done = self.apply()
        self.assertEqual(done.code, 0, done.err)
        report = self.check_all_done()
        self.assertTrue(all(room["outcome"] in SUCCESS for room in report.values()))
        self.check_clean()
