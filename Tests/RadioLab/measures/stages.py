"""The time that each stage of a device takes, from the journals of runs: `python3 stages.py JOURNAL…`."""

import json
import pathlib
import statistics
import sys
from typing import Any


def _events(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]


def spans(path: str) -> dict[str, list[float]]:
    """Seconds of every stage that succeeded, and of the parts between them, by name."""
    found: dict[str, list[float]] = {}
    submitted: dict[str, float] = {}
    began: dict[str, float] = {}
    for event in _events(path):
        kind, data, at = event["kind"], event["data"], event["elapsed_us"] / 1e6
        room = data.get("room")
        if kind == "attempt_started":
            began[room] = at
        elif kind == "stage_ended" and "failure" not in data:
            name = data["stage"] + (f" {data['setting']}" if "setting" in data else "")
            found.setdefault(name, []).append(data["seconds"])
        elif kind == "save_submitted":
            submitted[room] = at
        elif kind == "link_ended" and room in submitted:
            found.setdefault("(save submitted to link down)", []).append(at - submitted[room])
        elif kind == "proof_received":
            found.setdefault("(save submitted to proof received)", []).append(at - submitted[room])
            found.setdefault("(whole attempt)", []).append(at - began[room])
        elif kind == "run_finished":
            found.setdefault("(whole run)", []).append(at)
    return found


def proofs(path: str) -> dict[str, float]:
    """Seconds from the submission of `SAVE` to its proof, by the sensor's address."""
    found = [event["data"] for event in _events(path) if event["kind"] == "proof_received"]
    return {data["evidence"]["address"]: data["evidence"]["seconds_after_save"] for data in found}


def main(paths: list[str]) -> None:
    total: dict[str, list[float]] = {}
    for path in paths:
        for name, values in spans(path).items():
            total.setdefault(name, []).extend(values)
    print(f"{'stage':32} {'n':>4} {'median':>8} {'p90':>8} {'max':>8}  seconds")
    for name, values in total.items():
        values.sort()
        p90 = values[min(len(values) - 1, int(0.9 * len(values)))]
        print(f"{name:32} {len(values):4} {statistics.median(values):8.3f} {p90:8.3f} {values[-1]:8.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
