"""BlueZ caches the attribute table of a known device. After a firmware update the cache is wrong. roboprov must recognise this
and make BlueZ forget the device."""

import pytest
from lab.lab import adapter_address
from lab.radio_client import Radio

from .scenario import ONE_ADAPTER, Scenario


@pytest.mark.setting(places=ONE_ADAPTER, rooms=3)
def test_a_stale_table_is_recognised_and_the_device_provisioned(scenario: Scenario, radio: Radio) -> None:
    addresses = [room.address for room in scenario.building.rooms]
    for address in addresses:
        radio.do("change", address=address, faults={"renamed": "minor"})
        radio.do("power", address=address, on=True)
    scenario.lab.client("connect.py", adapter_address(0), *addresses, timeout=120).must()
    cached = scenario.lab.run("find", "/var/lib/bluetooth", "-path", "*cache*", "-name", "7C*").must().out
    assert len(cached.split()) == len(addresses)

    for address in addresses:
        radio.do("change", address=address, faults={})
        radio.do("power", address=address, on=True)
    done = scenario.apply()
    assert done.code == 0, done.err
    scenario.check_all_provisioned()
    scenario.check_clean()
