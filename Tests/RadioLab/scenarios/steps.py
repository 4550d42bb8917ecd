"""A plain client of bluetoothd that carries out steps (`clients/steps.py`), and expectations by version."""

import json
from typing import Any

from lab.agent import Running
from lab.lab import Lab, adapter_address

PLACE = [6.0, 3.0]  # at the adapter
FOUND = ("scan", "receive=30", "stop-scan")

Log = list[dict[str, Any]]


def add(lab: Lab, address: str, **details: Any) -> None:
    lab.radio.do("add", sensors=[{"address": address, "place": PLACE} | details])


def start(lab: Lab, address: str, *steps: str) -> Running:
    lab.copy_clients()  # It imports another.
    return lab.start_client("steps.py", adapter_address(0), address, *steps)


def log_of(running: Running, timeout: float = 120) -> Log:
    log = [json.loads(line) for line in running.wait(timeout).must().out.splitlines()]
    for line in log:
        print(" ", json.dumps(line), flush=True)
    return log


def step(log: Log, name: str) -> dict[str, Any]:
    return next(line for line in log if line.get("step", "").partition("=")[0] == name)


def steps(lab: Lab, address: str, *names: str) -> Log:
    return log_of(start(lab, address, *names))


def by_bluez(lab: Lab, **expected: Any) -> Any:
    return expected["v" + lab.guest.bluez.replace(".", "_")]


def by_kernel(lab: Lab, **expected: Any) -> Any:
    release = lab.run("uname", "-r").must().out
    return expected["v" + "_".join(release.split(".")[:2])]
