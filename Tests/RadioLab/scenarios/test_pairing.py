"""How bluetoothd pairs, by version (docs/internals/bluez.md, traps 67 and 69 to 74): a plain client of the bus and devices that
pair."""

import contextlib
import time
from typing import Any

import pytest
from lab.lab import Lab, sensor_address
from lab.radio import keyed

from .pairing import FAILED, agent, failure, keys, storage, until
from .scenario import LOSSLESS, ONE_ADAPTER
from .steps import FOUND, Log, add, by_bluez, start, step, steps

pytestmark = pytest.mark.setting(places=ONE_ADAPTER, rooms=0, propagation=LOSSLESS)

DEVICE, OTHER, THIRD = (sensor_address(number) for number in (1, 2, 3))
PASSKEY = 12345
VALUE = keyed.VALUE.to_hex_str("-").lower()
PAIRED = {"Paired": True, "Bonded": True}
CONNECTED = (*FOUND, "connect=30", "resolved=30")
SILENT_LOSS = 45  # s: SMP gives up after 30

CANCELED = "org.bluez.Error.AuthenticationCanceled"


def add_keyed(lab: Lab, address: str, faults: dict[str, Any] | None = None, **rules: Any) -> None:
    add(lab, address, family="keyed", pairing=rules, faults=faults or {})


def replies(log: Log, name: str) -> list[str]:
    return [line.get("failure", "success") for line in log if line.get("reply") == name]


def ends(log: Log) -> bool:
    """Whether the end of the link was signalled. A new object says that there is none, too."""
    return any(line.get("signal") == "changed" and line.get("Connected") is False for line in log)


def questions(log: Log) -> list[str]:
    """The questions to the client's own agent."""
    return [line["question"] for line in log if "device" in line and "question" in line]


def state(log: Log) -> dict[str, Any]:
    """The last that the device's object said."""
    return {name: value for name, value in [line for line in log if "state" in line][-1]["state"].items() if name != "Address"}


def device(lab: Lab, address: str = DEVICE) -> dict[str, Any]:
    return lab.radio.sensors()[address]


# --- Trap 69 ---


@pytest.mark.parametrize("legacy", [False, True])
def test_without_an_agent_just_works_is_refused(lab: Lab, legacy: bool) -> None:
    add_keyed(lab, DEVICE, legacy=legacy)
    refused = steps(lab, DEVICE, *FOUND, "pair=40", "state")
    assert failure(refused, "pair").startswith(FAILED)
    assert not state(refused)["Paired"]
    assert device(lab)["pairings"] == 0

    # With one it is not asked, whatever it would say.
    paired = steps(lab, DEVICE, "agent=NoInputNoOutput:no", *FOUND, "pair=40", "state", f"read={VALUE}:20")
    assert failure(paired, "pair") == ""
    assert (questions(paired), state(paired)) == ([], PAIRED)
    assert failure(paired, "read") == ""
    assert device(lab)["pairings"] == 1


# --- Trap 70 ---


def test_pair_asks_the_agent_of_its_caller_and_a_request_the_default_one(lab: Lab) -> None:
    add_keyed(lab, DEVICE, passkey=PASSKEY)
    add_keyed(lab, OTHER)
    own = f"agent=KeyboardOnly:{PASSKEY}"
    with agent(lab, "KeyboardDisplay", "yes") as default:
        paired = steps(lab, DEVICE, own, *FOUND, "pair=40", "state", f"read={VALUE}:20", "disconnect")
        assert failure(paired, "pair") == ""
        assert (questions(paired), default.questions) == (["RequestPasskey"], [])
        assert state(paired) == PAIRED
        assert failure(paired, "read") == ""

        read = steps(lab, OTHER, own, *CONNECTED, f"read={VALUE}:30", "state", "disconnect")
        assert failure(read, "read") == ""
        assert questions(read) == []
        assert default.questions == [("RequestAuthorization", OTHER)]


def test_pair_over_a_link_has_the_capability_of_the_default_agent_in_later_versions(lab: Lab) -> None:
    """There a passkey is not asked for, so it does not protect the link."""
    add_keyed(lab, DEVICE, passkey=PASSKEY)
    with agent(lab, "NoInputNoOutput", "yes") as default:
        log = steps(lab, DEVICE, f"agent=KeyboardOnly:{PASSKEY}", *CONNECTED, "pair=60", "state", f"read={VALUE}:20")
        print("default agent:", default.questions)
    assert failure(log, "pair") == ""
    assert questions(log) == by_bluez(lab, v5_66=["RequestPasskey"], v5_82=[])
    assert device(lab)["pairings"] >= 1


# --- Trap 71 ---


def test_an_agent_is_asked_one_question_at_a_time(lab: Lab) -> None:
    """While nobody answers, another device is not even connected to."""
    add_keyed(lab, DEVICE, passkey=PASSKEY)
    add_keyed(lab, OTHER, passkey=PASSKEY)
    with agent(lab, "KeyboardOnly", "hang") as default:
        steps(lab, OTHER, *FOUND)
        first = start(lab, DEVICE, *FOUND, "begin-pair", "wait=30")
        until(lambda: bool(default.questions), "a question about the first device")
        # The object of the other one lasts for 30 s.
        second = steps(lab, OTHER, "pair=15")
        assert failure(second, "pair").startswith("not so after")
        assert not any(line.get("Connected") for line in second)
        assert default.questions == [("RequestPasskey", DEVICE)]
        first.signal("KILL")
        first.wait(20)


# --- Traps 72 and 73 ---

OWN = "agent=NoInputNoOutput:no"


def test_pair_of_a_bonded_device(lab: Lab) -> None:
    """5.66 asks the kernel for a device of classic Bluetooth, which an adapter with classic Bluetooth pages. The lab's have
    none, so it is refused at once."""
    add_keyed(lab, DEVICE)
    log = steps(lab, DEVICE, OWN, *FOUND, "pair=40", "disconnect", "gone=20", "pair=30", "state")
    again = [line.get("failure", "") for line in log if line.get("step", "").startswith("pair=")][1]
    print("Pair of a bonded device:", again)
    assert again.startswith(by_bluez(lab, v5_66=FAILED, v5_82="org.bluez.Error.AlreadyExists"))
    assert state(log)["Paired"]
    assert keys(lab, DEVICE)


def test_cancel_pairing_without_a_pairing_deletes_the_key(lab: Lab) -> None:
    add_keyed(lab, DEVICE)
    paired = steps(lab, DEVICE, OWN, *FOUND, "pair=40", "disconnect", "gone=20", "connect=30", "resolved=30")
    assert failure(paired, "connect") == ""
    assert device(lab)["resumed"] == 1, "BlueZ encrypts a link to a bonded device by itself"
    log = steps(lab, DEVICE, OWN, "disconnect", "gone=20", "cancel-pairing", "state")
    assert failure(log, "cancel-pairing").startswith("org.bluez.Error.DoesNotExist")
    print("after CancelPairing:", state(log), storage(lab))
    steps(lab, DEVICE, OWN, *FOUND, "connect=30", "wait=3", "state", "disconnect")
    assert device(lab)["resumed"] == 1, "the kernel has its key no more"


def test_disconnect_ends_a_pairing(lab: Lab) -> None:
    add_keyed(lab, DEVICE, {"silent_at_pairing": 1})
    log = steps(lab, DEVICE, OWN, *FOUND, "begin-pair", "wait=4", "disconnect", "gone=20", "wait=2")
    assert [reply.partition(":")[0] for reply in replies(log, "pair")] == [CANCELED]
    assert device(lab)["connected_to"] == []


# --- Traps 67 and 74 ---


def test_a_request_whose_pairing_the_agent_refuses(lab: Lab) -> None:
    """No version answers, and the link stays."""
    add_keyed(lab, DEVICE)
    with agent(lab, "KeyboardDisplay", "no") as default:
        log = steps(lab, DEVICE, *CONNECTED, f"begin-read={VALUE}", "wait=12")
        asked = len(default.questions)
    print(f"asked {asked} times in 12 s; replies: {replies(log, 'read')}")
    assert asked == 1
    assert replies(log, "read") == []
    assert not ends(log)


def test_a_request_that_needs_pairing_without_an_agent(lab: Lab) -> None:
    """As if the agent had refused it."""
    add_keyed(lab, DEVICE)
    log = steps(lab, DEVICE, *CONNECTED, f"begin-read={VALUE}", "wait=12")
    print(f"replies: {replies(log, 'read')}; link ends: {ends(log)}")
    assert replies(log, "read") == []
    assert not ends(log)
    assert device(lab)["pairings"] == 0


@pytest.mark.parametrize("asked", [True, False])
def test_a_request_whose_pairing_the_device_refuses(lab: Lab, asked: bool) -> None:
    """With an agent and without one."""
    add_keyed(lab, DEVICE, {"refuses_pairing": True})
    with agent(lab, "KeyboardDisplay", "yes") if asked else contextlib.nullcontext():
        log = steps(lab, DEVICE, *CONNECTED, f"begin-read={VALUE}", "wait=15")
    refused = sum(event["event"] == "pairing_failed" for event in lab.radio.events)
    print(f"refused {refused} times in 15 s; replies: {replies(log, 'read')}")
    lost = "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e"
    assert replies(log, "read") == by_bluez(lab, v5_66=[lost], v5_82=[])
    assert ends(log)


# --- Names of failure ---

ASKED = f"agent=KeyboardOnly:{PASSKEY}"


@pytest.mark.long
def test_the_names_of_failed_pairings(lab: Lab, subtests: pytest.Subtests) -> None:
    """All refusals have one name, and all losses another."""
    wrong = f"agent=KeyboardOnly:{PASSKEY + 1}"
    cases: list[tuple[str, dict[str, Any], dict[str, Any], str, str]] = [
        # what, faults, rules, agent, name
        ("a wrong passkey", {}, {"passkey": PASSKEY}, wrong, FAILED),
        ("a wrong passkey, legacy", {}, {"passkey": PASSKEY, "legacy": True}, wrong, FAILED),
        ("an agent that refuses", {}, {"passkey": PASSKEY}, "agent=KeyboardOnly:no", FAILED),
        ("a device that refuses", {"refuses_pairing": True}, {}, OWN, FAILED),
        ("a full table of bonds", {}, {"most_keys": 0}, OWN, FAILED),
        ("a link that is lost at once", {"drop_at_pairing": 1}, {}, OWN, CANCELED),
        ("a link that is lost", {"drop_at_pairing": 3}, {}, OWN, CANCELED),
        ("a link that is lost after the passkey", {"drop_at_pairing": 10}, {"passkey": PASSKEY}, ASKED, CANCELED),
        ("no answer", {"silent_at_pairing": 1}, {}, OWN, CANCELED),
        ("no answer in the middle", {"silent_at_pairing": 3}, {}, OWN, CANCELED),
    ]
    for number, (what, faults, rules, agent_step, name) in enumerate(cases):
        address = sensor_address(10 + number)
        add_keyed(lab, address, faults, **rules)
        log = steps(lab, address, agent_step, *FOUND, f"pair={SILENT_LOSS}", "wait=2", "state", "disconnect", "forget")
        lab.radio.do("power", address=address, on=False)
        print(f"{what}: {failure(log, 'pair')} after {step(log, 'pair')['took']} s")
        with subtests.test(what=what):
            assert failure(log, "pair").startswith(name)
            assert device(lab, address)["pairings"] == 0
    assert storage(lab) == {}


def test_just_works_answers_a_device_that_demands_a_passkey(lab: Lab) -> None:
    """Pairing succeeds, and the device still refuses. Up to 5.70 bluetoothd then pairs once more."""
    add_keyed(lab, DEVICE, passkey=PASSKEY)
    log = steps(lab, DEVICE, OWN, *FOUND, "pair=40", "state", f"begin-read={VALUE}", "wait=15")
    print("pairings:", device(lab)["pairings"], "replies:", replies(log, "read"))
    assert failure(log, "pair") == ""
    assert all(reply.startswith("org.bluez.Error.NotPermitted") for reply in replies(log, "read"))


# --- What stays ---


def test_a_device_that_lost_its_key_is_not_connected_to_and_stays_paired(lab: Lab) -> None:
    add_keyed(lab, DEVICE)
    steps(lab, DEVICE, OWN, *FOUND, "pair=40", "disconnect", "gone=20")
    lab.radio.do("lose_keys", address=DEVICE)
    log = steps(lab, DEVICE, *FOUND, "connect=40", "wait=5", "state")
    print("Connect:", failure(log, "connect") or "success")
    connected = [line["Connected"] for line in log if "Connected" in line and line.get("signal") == "changed"]
    assert failure(log, "connect") or connected[-1] is False, "the link does not last"
    assert state(log)["Paired"]
    assert keys(lab, DEVICE), "nobody deletes the key"

    cured = steps(lab, DEVICE, OWN, "disconnect", "forget", *FOUND, "pair=40", "state")
    assert failure(cured, "pair") == ""
    assert state(cured) == PAIRED


def test_what_remains_in_storage(lab: Lab) -> None:
    """A key until `RemoveDevice`, also over a restart; nothing of a pairing without bonding or of one that failed."""
    add_keyed(lab, DEVICE)
    add_keyed(lab, OTHER, legacy=True)
    add_keyed(lab, THIRD, keeps_key=False)
    for address in (DEVICE, OTHER, THIRD):
        log = steps(lab, address, OWN, *FOUND, "pair=40", "state", f"read={VALUE}:20", "disconnect", "gone=20")
        assert failure(log, "pair") == failure(log, "read") == "", address
        print(address, state(log))
        assert state(log) == {"Paired": True, "Bonded": address != THIRD}
    stored = storage(lab)
    print(stored)
    assert "PeripheralLongTermKey" in stored[DEVICE]
    assert {"LongTermKey", "PeripheralLongTermKey"} <= set(stored[OTHER])
    assert keys(lab, THIRD) == set()

    lab.bluetoothd("restart")
    lab.wait_for_adapters()
    for address in (DEVICE, OTHER):
        again = steps(
            lab, address, OWN, *FOUND, "connect=30", "resolved=30", f"read={VALUE}:20", "state", "disconnect", "gone=20"
        )
        assert failure(again, "read") == "", address
        assert state(again) == PAIRED
        assert (device(lab, address)["pairings"], device(lab, address)["resumed"]) == (1, 1)
    for address in (DEVICE, OTHER, THIRD):
        steps(lab, address, "forget")
    assert storage(lab) == {}

    # The kernel has no key any more, either: without an agent the device cannot be used.
    refused = steps(lab, DEVICE, *FOUND, "pair=40")
    assert failure(refused, "pair").startswith(FAILED)
    assert device(lab)["resumed"] == 1


def test_an_address_that_resolves_after_pairing(lab: Lab) -> None:
    """The object keeps the path with the old address until bluetoothd restarts; `Address` becomes the identity."""
    add_keyed(lab, DEVICE, private=True)
    first = device(lab)["shown"]
    assert first != DEVICE
    log = steps(lab, first, OWN, *FOUND, "pair=40", "wait=1", "state", f"read={VALUE}:20", "disconnect", "gone=20")
    assert failure(log, "pair") == failure(log, "read") == ""
    addresses = [line["state"]["Address"] for line in log if "state" in line]
    stored = storage(lab)
    print(f"{first} is {addresses[-1]}; stored: {stored}")
    assert addresses == [DEVICE]
    assert "IdentityResolvingKey" in stored[DEVICE]

    lab.radio.do("move", address=DEVICE)
    second = device(lab)["shown"]
    assert second != first
    again = steps(lab, first, OWN, *FOUND, "connect=30", "resolved=30", f"read={VALUE}:20", "disconnect", "gone=20")
    assert failure(again, "read") == ""
    assert device(lab)["resumed"] == 1
    paths = lab.run("busctl", "tree", "--list", "org.bluez").must().out
    assert path_of(first) in paths
    assert path_of(second) not in paths
    assert path_of(DEVICE) not in paths

    lab.bluetoothd("restart")
    lab.wait_for_adapters()
    restarted = steps(
        lab, DEVICE, OWN, *FOUND, "connect=30", "resolved=30", f"read={VALUE}:20", "disconnect", "gone=20", "forget"
    )
    assert failure(restarted, "read") == ""
    assert storage(lab) == {}


def path_of(address: str) -> str:
    return f"/org/bluez/hci0/dev_{address.replace(':', '_')}"


def test_the_link_of_a_program_that_is_killed_while_it_pairs_ends(lab: Lab) -> None:
    """Its agent goes with it."""
    add_keyed(lab, DEVICE, {"silent_at_pairing": 2})
    running = start(lab, DEVICE, OWN, *FOUND, "begin-pair", "wait=60")
    lab.radio.wait_for("pairing", number=2, address=DEVICE)
    running.signal("KILL")
    running.wait(20)
    began = time.monotonic()
    until(lambda: not device(lab)["connected_to"], "the end of the link")
    print(f"the link ended after {time.monotonic() - began:.1f} s")
    assert keys(lab, DEVICE) == set()
    lab.radio.do("change", address=DEVICE, faults={})
    assert failure(steps(lab, DEVICE, *FOUND, "pair=40"), "pair").startswith(FAILED)
