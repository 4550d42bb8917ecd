"""What differs between the versions of BlueZ and of the kernel (docs/internals/bluez.md): each test case runs on every guest
and has an expectation for each."""

import time

import pytest
from lab.agent import Running
from lab.lab import Lab, sensor_address

from .scenario import LOSSLESS, ONE_ADAPTER
from .steps import FOUND, Log, add, by_bluez, by_kernel, log_of, start, step, steps

pytestmark = pytest.mark.setting(places=ONE_ADAPTER, rooms=0, propagation=LOSSLESS)

SENSOR, DYING = sensor_address(1), sensor_address(2)
RARELY = 1.5  # s between two advertisements of the device that dies


def let_die(lab: Lab, *steps: str) -> Running:
    """Begins to connect to a device, which is switched off once the controller waits for its next advertisement in order to
    connect: the kernel's order stands, and nothing fulfils it."""
    add(lab, DYING, family="firefly", timing={"advertising": RARELY})
    running = start(lab, DYING, *FOUND, "begin-connect", *steps)
    until = time.monotonic() + 60
    while not lab.radio.state()["adapters"][0]["connecting"]:
        assert time.monotonic() < until, f"the controller was not asked to connect:\n{running.out}"
        time.sleep(0.02)
    lab.radio.do("power", address=DYING, on=False)
    return running


def test_a_second_connect_to_a_device_is_refused_by_name(lab: Lab) -> None:
    log = log_of(let_die(lab, "wait=1", "connect=30"))
    assert step(log, "connect")["failure"] == by_bluez(
        lab,
        v5_66="org.bluez.Error.Failed: Operation already in progress",
        v5_82="org.bluez.Error.InProgress: In Progress",
    )  # fmt: skip


def test_the_signals_of_a_disconnect_that_was_asked_for(lab: Lab) -> None:
    add(lab, SENSOR)
    log = steps(lab, SENSOR, *FOUND, "connect=30", "resolved=20", "disconnect", "gone=20", "wait=1")
    connected = next(number for number, line in enumerate(log) if line.get("step") == "resolved=20")
    ends = [
        sorted(name for name in ("Connected", "ServicesResolved") if line.get(name) is False)
        if line.get("signal") == "changed"
        else ["reply"]
        for line in log[connected + 1 :]
        if line.get("step") == "disconnect" or line.get("Connected") is False or line.get("ServicesResolved") is False
    ]
    assert ends == by_bluez(
        lab,
        v5_66=[["ServicesResolved"], ["reply"], ["Connected"]],
        v5_82=[["Connected", "ServicesResolved"], ["reply"]],
    )  # fmt: skip


def test_the_object_of_a_device_that_dies_goes_with_the_order_to_connect(lab: Lab) -> None:
    """And `Connect` is never answered."""
    began = time.monotonic()
    log = log_of(let_die(lab, "vanished=60", "wait=5"))
    took = step(log, "vanished")["took"]
    print(f"object gone {took} s after Connect, {time.monotonic() - began:.0f} s in all")
    shortest, longest = by_kernel(lab, v6_1=(3, 8), v6_12=(19, 26))
    assert shortest < took < longest
    assert [line for line in log if line.get("reply") == "connect"] == []


def test_a_disconnect_beside_a_connect_to_a_device_that_dies(lab: Lab) -> None:
    """6.12 ends no other link of the adapter before its order to connect has expired."""
    add(lab, SENSOR)
    steps(lab, SENSOR, *FOUND, "connect=30", "resolved=20")  # The link stays: it belongs to bluetoothd.
    dying = let_die(lab, "wait=60")
    took = step(steps(lab, SENSOR, "disconnect"), "disconnect")["took"]
    dying.signal("KILL")
    print(f"Disconnect took {took} s")
    shortest, longest = by_kernel(lab, v6_1=(1, 5), v6_12=(12, 25))
    assert shortest < took < longest


def test_a_killed_client_leaves_its_connect_for_a_while(lab: Lab) -> None:
    """Until then `Connect` is refused for everybody; afterwards there is no object."""
    let_die(lab, "wait=60").signal("KILL")
    began = time.monotonic()
    refusals = []
    while True:
        failure = step(steps(lab, DYING, "connect=30"), "connect").get("failure", "")
        if "rogress" not in failure:
            break
        refusals.append(failure)
        assert time.monotonic() - began < 60, "still refused"
        time.sleep(0.5)
    took = time.monotonic() - began
    print(f"refused {len(refusals)} times in {took:.1f} s, then: {failure}")
    assert "UnknownObject" in failure
    shortest, longest = by_kernel(lab, v6_1=(0, 10), v6_12=(12, 30))
    assert shortest < took < longest


def at_power_off(log: Log) -> tuple[list[bool], list[str]]:
    """Whether the object goes before the power, once for each time that it goes; and the replies to `Connect`."""
    off = next(number for number, line in enumerate(log) if line.get("adapter", {}).get("Powered") is False)
    gone = [number < off for number, line in enumerate(log) if line.get("signal") == "removed"]
    return gone, [line.get("failure", "success") for line in log if line.get("reply") == "connect"]


def test_an_adapter_is_switched_off_while_it_scans_for_a_device(lab: Lab) -> None:
    add(lab, SENSOR)
    running = start(lab, SENSOR, *FOUND, "wait=2", "begin-connect", "wait=2", "power-off", "wait=10")
    while "stop-scan" not in running.out:
        time.sleep(0.05)
    lab.radio.do("power", address=SENSOR, on=False)
    assert at_power_off(log_of(running)) == by_bluez(lab, v5_66=([], ["success"]), v5_82=([True], []))


def test_an_adapter_is_switched_off_while_its_order_to_connect_stands(lab: Lab) -> None:
    """The object goes first, and `Connect` is never answered, with each version."""
    assert at_power_off(log_of(let_die(lab, "wait=3", "power-off", "wait=10"))) == ([True], [])


def test_the_object_of_a_device_that_takes_no_connection_goes_with_the_discovery(lab: Lab) -> None:
    add(lab, SENSOR, family="esp-idf", faults={"not_connectable": 600.0})
    log = steps(lab, SENSOR, *FOUND, "vanished=20")
    assert step(log, "vanished").get("failure") is None
    assert step(log, "vanished")["took"] < 1


def test_the_properties_of_later_versions(lab: Lab) -> None:
    add(lab, SENSOR)
    log = steps(lab, SENSOR, *FOUND)
    device = {name for line in log for name in line if name.startswith("Advertising")}
    adapter = {
        name
        for name in ("PowerState", "Manufacturer", "Version")
        if lab.run("busctl", "get-property", "org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", name).code == 0
    }
    assert (adapter, device) == by_bluez(
        lab,
        v5_66=(set[str](), set[str]()),
        v5_82=({"PowerState", "Manufacturer", "Version"}, {"AdvertisingFlags"}),
    )  # fmt: skip
