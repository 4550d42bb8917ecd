"""Adapters of another host: the real ssh, sshd and systemd's bridge in front of the real bluetoothd. The guest is its own
gateway, through its loopback interface; roboprov itself runs beside another system bus, as on a computer without Bluetooth."""

import pytest
from lab.agent import Running
from lab.radio_client import Radio

from .scenario import ONE_ADAPTER, Scenario

pytestmark = [pytest.mark.long, pytest.mark.setting(places=ONE_ADAPTER, rooms=12)]

OWN_BUS = "unix:path=/run/own-bus"
OPTIONS = ("--host", "floor-3=root@localhost", "--adapter", "floor-3/hci0")
PREPARE = f"""
dbus-daemon --session --fork --address={OWN_BUS}
mkdir -p /run/sshd /root/.ssh
ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key
ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
echo "localhost $(cat /etc/ssh/ssh_host_ed25519_key.pub)" >/root/.ssh/known_hosts
/usr/sbin/sshd -f /dev/null -o UsePAM=no -o StrictModes=no
"""


@pytest.fixture(autouse=True)
def gateway(scenario: Scenario) -> None:
    scenario.lab.run("sh", "-c", PREPARE, timeout=120).must()
    scenario.environment["DBUS_SYSTEM_BUS_ADDRESS"] = OWN_BUS


def bridges(scenario: Scenario) -> list[str]:
    return scenario.lab.run("pidof", "systemd-stdio-bridge").out.split()


def check_end(scenario: Scenario, running: Running) -> None:
    done = scenario.finish(running)
    print(f"exit {done.code} in {done.seconds:.0f} s, charged:", *scenario.charges(), sep="\n  ")
    assert done.code == 0, done.err
    report = scenario.check_all_provisioned()
    assert {room["adapter_name"] for room in report.values()} == {"floor-3/hci0"}
    scenario.check_nothing_charged()
    scenario.check_clean()
    scenario.check_secrets()
    assert bridges(scenario) == [], "bridges left running"


def test_a_gateway_provisions_every_room(scenario: Scenario) -> None:
    check_end(scenario, scenario.start_apply(*OPTIONS))


def test_a_lost_connection_charges_no_device_and_leaves_no_link(scenario: Scenario, radio: Radio) -> None:
    running = scenario.start_apply(*OPTIONS)
    third = radio.wait_for("connected", times=3, timeout=240)
    radio.wait_for("write", timeout=60, address=third["address"])
    scenario.lab.run("kill", "-KILL", *bridges(scenario)).must()
    check_end(scenario, running)


def test_bluetoothd_of_a_gateway_is_restarted(scenario: Scenario, radio: Radio) -> None:
    running = scenario.start_apply(*OPTIONS)
    radio.wait_for("connected", times=4, timeout=240)
    scenario.lab.bluetoothd("restart")
    check_end(scenario, running)


def test_doctor_finds_a_gateway_ready(scenario: Scenario) -> None:
    done = scenario.finish(scenario.start("doctor", *OPTIONS[:2]))
    assert f"floor-3: BlueZ {scenario.lab.guest.bluez}, 1 adapter ready" in done.out, done.out + done.err
