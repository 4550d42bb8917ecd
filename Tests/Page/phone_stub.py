"""A server in the place of `roboprov walk --phone`: it serves the same files, speaks the same way, and does what tests say."""

import http.server
import json
import pathlib
import queue
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

SOURCES = pathlib.Path(__file__).parents[2] / "Sources"
TYPES = {
    "/": (["Application/Phone/phone.html"], "text/html"),
    "/phone.js": (["Reporting/Formats/HTML/connection.js", "Application/Phone/phone.js"], "text/javascript"),
    "/phone.css": (["Application/Phone/phone.css"], "text/css"),
}
# As Sources/HTTP/HTTPAnswer.swift has it.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
GOOD: dict[str, Any] = {"words": "", "good": True, "candidates": [], "question": None}


class Stub:
    """A session with four rooms on floor 3 and two on floor 4. Use it with `with`."""

    def __init__(self) -> None:
        self.rooms = [self.room(f"Room {number}", str(number)[0]) for number in [311, 312, 313, 314, 401, 402]]
        self.people: list[dict[str, Any]] = []
        self.name: str | None = None
        # The room whose last step can be taken back.
        self.undo: str | None = "Room 310"
        self.session = "one"
        self.number, self.last = 0, ""
        # What was carried out, and how many requests came.
        self.done: list[dict[str, Any]] = []
        self.requests = 0
        self.photo = b""
        self.answer: Callable[[dict[str, Any]], dict[str, Any]] = lambda action: {}
        # "lost": carried out, but the answer does not arrive. "unnamed": who it is gets no answer. "busy": no action is taken.
        # A number: everything is refused with it.
        self.fault: str | int | None = None
        self.followers: list[queue.Queue[str]] = []
        stub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stub.get(self)

            def do_POST(self) -> None:
                stub.post(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}/"

    @staticmethod
    def room(name: str, floor: str) -> dict[str, Any]:
        return {
            "id": name.lower().replace(" ", "-"), "name": name, "floor": floor, "state": "left", "device": None, "words": None,
            "advice": None, "by": None, "needsLabel": False, "canIdentify": False,
        }  # fmt: skip

    def __enter__(self) -> "Stub":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def state(self) -> dict[str, Any]:
        return {"building": "Hotel <i>", "simulated": True, "provisions": True, "people": self.people, "rooms": self.rooms}

    def change(self, room: str, **members: Any) -> None:
        """Changes a room, and tells it."""
        found = next(each for each in self.rooms if each["id"] == room)
        found.update(members)
        self.tell("change", {"rooms": [found], "people": self.people})

    def tell(self, event: str, data: Any) -> None:
        for follower in self.followers:
            follower.put(f"event: {event}\ndata: {json.dumps(data)}\n\n")

    def end_events(self) -> None:
        for follower in self.followers:
            follower.put("")
        self.followers.clear()

    def send(self, to: http.server.BaseHTTPRequestHandler, status: int, body: str, kind: str) -> None:
        to.send_response(status)
        for name, value in [
            ("Content-Type", kind), ("Content-Security-Policy", POLICY), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"), ("Connection", "close"),
        ]:  # fmt: skip
            to.send_header(name, value)
        to.end_headers()
        to.wfile.write(body.encode())

    def get(self, to: http.server.BaseHTTPRequestHandler) -> None:
        if isinstance(self.fault, int):
            return self.send(to, self.fault, "", "text/plain")
        if to.path in TYPES:
            names, kind = TYPES[to.path]
            return self.send(to, 200, "".join((SOURCES / name).read_text() for name in names), kind)
        if to.path == "/me":
            if self.fault == "unnamed":
                return self.send(to, 503, "", "text/plain")
            me = {"phone": 1, "name": self.name, "n": self.number, "session": self.session, "pixels": 2_000_000}
            return self.send(to, 200, json.dumps(me), "application/json")
        assert to.path == "/events"
        follower: queue.Queue[str] = queue.Queue()
        # What changes meanwhile is in the state, or follows it.
        self.followers.append(follower)
        self.send(to, 200, f"event: state\ndata: {json.dumps(self.state)}\n\n", "text/event-stream")
        while True:
            try:
                text = follower.get(timeout=2)
            except queue.Empty:
                text = "event: beat\ndata: 1\n\n"
            if not text:
                return None
            try:
                to.wfile.write(text.encode())
            except OSError:
                return None

    def post(self, to: http.server.BaseHTTPRequestHandler) -> None:
        body = to.rfile.read(int(to.headers["Content-Length"]))
        assert to.headers["Origin"] == self.address.rstrip("/")
        self.requests += 1
        fault = 503 if self.fault == "busy" else self.fault
        if isinstance(fault, int):
            return self.send(to, fault, "", "text/plain")
        target = urlsplit(to.path)
        if target.path == "/photo":
            assert to.headers["Content-Type"] == "application/octet-stream"
            query = {name: values[0] for name, values in parse_qs(target.query).items()}
            assert len(body) == int(query["w"]) * int(query["h"])
            self.photo = body
            action: dict[str, Any] = {"n": int(query["n"]), "room": query["room"], "do": "photo"}
        else:
            assert to.headers["Content-Type"] == "application/json"
            action = json.loads(body)
        if target.path == "/name":
            self.name = action["name"]
            return self.send(to, 200, json.dumps(action), "application/json")
        number = action.pop("n")
        if number < self.number:
            return self.send(to, 409, "", "text/plain")
        if number > self.number:
            self.done.append(action)
            self.number = number
            if action["do"] == "go":
                self.people = [each for each in self.people if each["phone"] != 1]
                self.people.append({"phone": 1, "name": self.name, "room": action["room"], "undo": self.undo})
                self.tell("change", {"rooms": [], "people": self.people})
            self.last = json.dumps(GOOD | {"n": number} | self.answer(action))
        if self.fault == "lost":
            to.connection.close()
            return None
        return self.send(to, 200, self.last, "application/json")
