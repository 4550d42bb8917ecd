"""Options and fixtures of the radio lab. README.md describes how to run and write test cases."""

import os
import signal
from collections.abc import Generator, Iterator

import pytest
from lab.guests import GUESTS
from lab.lab import Lab
from lab.radio_client import Radio
from lab.turns import PLACES
from scenarios.building import Building
from scenarios.scenario import Scenario, Setting, install_roboprov


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--guest", choices=GUESTS, help="the release of Debian in the guest (default: 12)")
    parser.addoption(
        "--kernel", metavar="PACKAGE", help="Debian's kernel package for the guest, such as linux-image-6.12-amd64"
    )


def pytest_configure(config: pytest.Config) -> None:
    for name in ("guest", "kernel"):
        if value := config.getoption(name):
            os.environ[f"RADIOLAB_{name.upper()}"] = value
    # SIGTERM acts as Ctrl-C does, so that the fixtures stop what they started.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


def pytest_xdist_auto_num_workers() -> int:
    """`-n auto` runs as many labs at once as the machine permits."""
    return PLACES


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sorts long test cases first: a long one that starts last leaves the other cores idle."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and isinstance(item, pytest.Function):
        for value in item.funcargs.values():
            if isinstance(value, Lab):
                value.kept = True
    return report


@pytest.fixture
def setting(request: pytest.FixtureRequest) -> Setting:
    """The arguments of the `setting` markers of the module and the test case; the closest marker wins."""
    wanted: dict[str, object] = {}
    for marker in request.node.iter_markers("setting"):
        wanted = {**marker.kwargs, **wanted}
    return Setting(**wanted)  # type: ignore[arg-type]


@pytest.fixture
def building(setting: Setting) -> Building:
    building = Building(setting.rooms, setting.seed)
    if setting.prepare is not None:
        setting.prepare(building)
    return building


@pytest.fixture
def lab(setting: Setting, building: Building) -> Iterator[Lab]:
    """A guest with the adapters of the setting, and a radio with the devices of the building. Each test case has its own."""
    kernel = os.environ.get("RADIOLAB_KERNEL") or None
    with Lab(setting.places, setting.seed, setting.propagation, kernel, setting.chips) as lab:
        if setting.bluetoothd_options:
            lab.restart_bluetoothd(setting.bluetoothd_options)
        lab.radio.do("add", sensors=building.sensors)
        for name, text in building.files.items():
            (lab.share / name).write_text(text)
        yield lab


@pytest.fixture
def radio(lab: Lab) -> Radio:
    return lab.radio


@pytest.fixture
def scenario(lab: Lab, building: Building, subtests: pytest.Subtests) -> Scenario:
    """roboprov in the guest."""
    install_roboprov(lab)
    return Scenario(lab, building, subtests)
