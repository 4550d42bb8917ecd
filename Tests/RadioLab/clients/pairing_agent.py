"""An agent of bluetoothd: `pairing_agent.py CAPABILITY ANSWER [default]` registers one, asks to be the default one if told so,
and prints a line of JSON for each question until it is ended. ANSWER is `yes`, `no`, `hang` or a passkey, for every question.
steps.py has the same agent (`agent=CAPABILITY:ANSWER`)."""

import json
import sys
from collections.abc import Callable
from typing import Any

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

AGENT = "org.bluez.Agent1"
PATH = "/test/agent"


class Rejected(dbus.DBusException):  # type: ignore[misc]
    _dbus_error_name = "org.bluez.Error.Rejected"


class Agent(dbus.service.Object):  # type: ignore[misc]
    def __init__(self, bus: Any, answer: str, say: Callable[..., None]) -> None:
        super().__init__(bus, PATH)
        self.answer = answer
        self.say = say

    def ask(self, question: str, device: str, reply: Callable[..., None], refuse: Callable[..., None], *values: Any) -> None:
        self.say(question=question, device=str(device)[-17:].replace("_", ":"))
        if self.answer == "no":
            refuse(Rejected("no"))
        elif self.answer != "hang":
            reply(*values)

    @dbus.service.method(AGENT, in_signature="o", out_signature="u", async_callbacks=("reply", "refuse"))  # type: ignore[untyped-decorator]
    def RequestPasskey(self, device: str, reply: Callable[..., None], refuse: Callable[..., None]) -> None:
        passkey = int(self.answer) if self.answer.isdigit() else 0
        self.ask("RequestPasskey", device, reply, refuse, dbus.UInt32(passkey))

    @dbus.service.method(AGENT, in_signature="ou", out_signature="", async_callbacks=("reply", "refuse"))  # type: ignore[untyped-decorator]
    def RequestConfirmation(self, device: str, passkey: int, reply: Callable[..., None], refuse: Callable[..., None]) -> None:
        self.ask("RequestConfirmation", device, reply, refuse)

    @dbus.service.method(AGENT, in_signature="o", out_signature="", async_callbacks=("reply", "refuse"))  # type: ignore[untyped-decorator]
    def RequestAuthorization(self, device: str, reply: Callable[..., None], refuse: Callable[..., None]) -> None:
        self.ask("RequestAuthorization", device, reply, refuse)

    @dbus.service.method(AGENT, in_signature="ouq", out_signature="")  # type: ignore[untyped-decorator]
    def DisplayPasskey(self, device: str, passkey: int, entered: int) -> None:
        self.say(question="DisplayPasskey", device=str(device)[-17:].replace("_", ":"))

    @dbus.service.method(AGENT, in_signature="", out_signature="")  # type: ignore[untyped-decorator]
    def Cancel(self) -> None:
        self.say(question="Cancel")

    @dbus.service.method(AGENT, in_signature="", out_signature="")  # type: ignore[untyped-decorator]
    def Release(self) -> None:
        self.say(question="Release")


def register(bus: Any, capability: str, answer: str, say: Callable[..., None], is_default: bool = False) -> Agent:
    agent = Agent(bus, answer, say)
    manager = dbus.Interface(bus.get_object("org.bluez", "/org/bluez"), "org.bluez.AgentManager1")
    manager.RegisterAgent(PATH, capability)
    if is_default:
        manager.RequestDefaultAgent(PATH)
    return agent


def main() -> None:
    def say(**words: Any) -> None:
        print(json.dumps(words), flush=True)

    capability, answer, *rest = sys.argv[1:]
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    _agent = register(dbus.SystemBus(), capability, answer, say, is_default=bool(rest))
    say(ready=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
