"""The control of the radio by a test: lines of JSON over a local socket.

    {"id": 1, "do": "plug", "adapter": {…AdapterSettings…}, "path": "…"}     a dongle into the guest's port
    {"id": 2, "do": "unplug", "address": "…"}
    {"id": 3, "do": "add", "sensors": [{"address": …, "place": […], "family": "firefly", "flash": {…}, "faults": {…},
                                        "timing": {…}, "pairing": {…Rules…}}, …]}
                                                       devices; by default Robo Sensors from the factory, which do not pair
    {"id": 4, "do": "change", "address": …, "faults": {…}, "strengths": {…}, "place": […]}
    {"id": 5, "do": "power", "address": …, "on": false}
    {"id": 6, "do": "reset", "address": …}            a person presses its button: factory state
    {"id": 7, "do": "state"}                           the state of every device, and all its writes
    {"id": 8, "do": "deafen", "address": …, "until": "scan"}    an adapter receives nothing until the end of a scan, until a
                                                       "reset" (which a power cycle causes), or for good ("never")
    {"id": 9, "do": "when", "event": "write", "times": 3, "address": …, "then": {"do": …}, "after": 0.0}
    {"id": 10, "do": "move", "address": …}             a device has another address on air
    {"id": 11, "do": "lose_keys", "address": …}        it loses its bonds, and nothing else

Each request gets a reply {"id": …, "ok": …} or {"id": …, "error": …}. Events are sent as they happen:
{"event": "connected", "address": …, "at": …, …}."""

import asyncio
import json
import time
from typing import Any

from .adapter import Adapter, AdapterSettings
from .air import Air, Propagation
from .families import FAMILIES
from .pairing import Rules
from .peripheral import Peripheral


class Radio:
    def __init__(self, air: Air) -> None:
        self.air = air
        self.adapters: dict[str, Adapter] = {}
        self.sensors: dict[str, Peripheral] = {}
        self.listeners: set[asyncio.StreamWriter] = set()
        self.orders: list[dict[str, Any]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.held_up = 0.0  # s, the maximum delay of any event for lack of a core

    async def watch_the_clock(self) -> None:
        while True:
            before = self.air.now()
            await asyncio.sleep(0.1)
            self.held_up = max(self.held_up, self.air.now() - before - 0.1)

    # --- Events ---

    def emit(self, event: str, sensor: Peripheral | None = None, **details: Any) -> None:
        message = {"event": event, "at": round(self.air.now(), 4), **details}
        if sensor is not None:
            message["address"] = str(sensor.address).removesuffix("/P")
        line = json.dumps(message).encode() + b"\n"
        for listener in self.listeners:
            listener.write(line)
        self._carry_out_orders(message)

    def _carry_out_orders(self, message: dict[str, Any]) -> None:
        for order in list(self.orders):
            wanted = order.get("match", {})
            if order["event"] == message["event"] and all(message.get(name) == value for name, value in wanted.items()):
                order["times"] = order.get("times", 1) - 1
                if order["times"] <= 0:
                    self.orders.remove(order)
                    task = asyncio.create_task(self._carry_out(order))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)

    async def _carry_out(self, order: dict[str, Any]) -> None:
        await asyncio.sleep(order.get("after", 0.0))
        then = dict(order["then"])
        await getattr(self, f"do_{then.pop('do')}")(**then)
        self.emit("ordered", order=order["then"])

    # --- Requests ---

    async def do_plug(self, adapter: dict[str, Any], path: str) -> None:
        settings = AdapterSettings(**adapter)
        settings.place = (settings.place[0], settings.place[1])
        self.adapters[settings.address] = await Adapter.plug_in(settings, self.air, path)
        self.emit("plugged", adapter=settings.address)

    async def do_unplug(self, address: str) -> None:
        await self.adapters.pop(address).unplug()
        self.emit("unplugged", adapter=address)

    async def do_add(self, sensors: list[dict[str, Any]]) -> None:
        for one in sensors:
            family = FAMILIES[one.get("family", "robo-sensor")]
            sensor = family(self.air, one["address"], (one["place"][0], one["place"][1]), self.emit, one.get("strengths"))
            sensor.timing = family.TIMING(**one.get("timing", {}))
            sensor.faults = family.FAULTS().revised(one.get("faults", {}))
            sensor.restore(one.get("flash", {}))
            if "pairing" in one:
                sensor.security.rules = Rules(**one["pairing"])
            for particular in ("device_name", "networks", "name_is_short"):
                if particular in one:
                    setattr(sensor, particular, one[particular])
            if one["address"] in self.sensors:
                await self.sensors[one["address"]].power_off()
            self.sensors[one["address"]] = sensor
            await sensor.power_on()

    async def do_change(
        self,
        address: str,
        faults: dict[str, Any] | None = None,
        strengths: dict[str, float] | None = None,
        place: tuple[float, float] | None = None,
    ) -> None:
        """New faults replace the old ones. Faults of the attribute table apply from the next boot."""
        sensor = self.sensors[address]
        if faults is not None:
            sensor.faults = sensor.FAULTS().revised(faults)
            sensor.obey_faults()
        if strengths is not None:
            sensor.strengths.clear()
            sensor.strengths.update(strengths)
        if place is not None:
            sensor.place = (place[0], place[1])
            if sensor.chip is not None:
                sensor.chip.place = sensor.place
        self.air.forget_strengths()

    async def do_power(self, address: str, on: bool) -> None:
        sensor = self.sensors[address]
        await (sensor.power_on() if on else sensor.power_off())

    async def do_reset(self, address: str) -> None:
        sensor = self.sensors[address]
        sensor.reset()
        sensor.security.forget()
        await sensor.power_on()

    async def do_move(self, address: str) -> None:
        await self.sensors[address].move()

    async def do_lose_keys(self, address: str) -> None:
        self.sensors[address].security.forget()

    async def do_deafen(self, address: str, until: str) -> None:
        self.adapters[address].deaf_until = until

    async def do_when(self, **order: Any) -> None:
        self.orders.append(order)

    async def do_state(self) -> dict[str, Any]:
        return {
            "sensors": [sensor.state() for sensor in self.sensors.values()],
            "adapters": [
                {
                    "address": address, "connections": len(adapter.le_connections),
                    "listening": adapter.is_listening, "scanning": adapter.le_scan_enable,
                    "connecting": adapter.pending_le_connection is not None, "reports": adapter.reports,
                }
                for address, adapter in self.adapters.items()
            ],
            "held_up": round(self.held_up, 2),
            "cpu_seconds": round(time.process_time(), 2),
        }  # fmt: skip

    # --- The socket ---

    async def attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.listeners.add(writer)
        try:
            while line := await reader.readline():
                request = json.loads(line)
                answer: dict[str, Any] = {"id": request.pop("id")}
                try:
                    answer["ok"] = await getattr(self, f"do_{request.pop('do')}")(**request)
                except Exception as error:
                    answer["error"] = f"{type(error).__name__}: {error}"
                writer.write(json.dumps(answer).encode() + b"\n")
        finally:
            self.listeners.discard(writer)


async def serve(path: str, seed: int, propagation: dict[str, Any]) -> None:
    radio = Radio(Air(Propagation(**propagation), seed))
    server = await asyncio.start_unix_server(radio.attend, path, limit=1 << 24)
    async with server, asyncio.TaskGroup() as tasks:
        tasks.create_task(radio.watch_the_clock())
        await server.serve_forever()
