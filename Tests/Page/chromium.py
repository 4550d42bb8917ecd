"""A headless Chromium, controlled over the DevTools protocol through a pair of pipes: without a port or another package."""

import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

# For a browser on a busy machine with two cores. A working browser is faster.
TIMEOUT = 60


class Chromium:
    """One browser with one page. Use it with `with`."""

    def __enter__(self) -> Self:
        self.profile = tempfile.mkdtemp(prefix="roboprov-page-")
        to_browser, self.out = os.pipe()
        self.input, from_browser = os.pipe()

        def pipes() -> None:
            # The protocol uses descriptors 3 and 4.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [
                "chromium",
                "--headless",
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-dev-shm-usage",
                "--disable-extensions",
                "--hide-scrollbars",
                f"--user-data-dir={self.profile}",
                "about:blank",
            ],
            preexec_fn=pipes,
            close_fds=False,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events: list[dict[str, Any]] = []
        self.session: str | None = None
        # What was touched last, where and when.
        self.touched: tuple[str, float, float, float] | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.out)
        os.close(self.input)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method: str, **parameters: Any) -> Any:
        """Carries out one command, and returns its result."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        number = self.number
        answer = self.wait(lambda m: m.get("id") == number, method)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def wait(self, wanted: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """Reads until the wanted message comes; keeps the events before it."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            while b"\0" in self.buffer:
                text, self.buffer = self.buffer.split(b"\0", 1)
                message: dict[str, Any] = json.loads(text)
                if "method" in message:
                    self.events.append(message)
                if wanted(message):
                    return message
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                raise TimeoutError(what)
            data = os.read(self.input, 1 << 20)
            if not data:
                raise RuntimeError(f"the browser ended during {what}")
            self.buffer += data

    def view(self, width: int = 1280, height: int = 900, scheme: str = "light", script: bool = True) -> None:
        """The size of the window, the colour scheme, and whether scripts run."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)

    def open(self, path: pathlib.Path) -> None:
        """Loads a file."""
        self.visit(path.resolve().as_uri())

    def visit(self, address: str) -> None:
        """Loads a page."""
        self.events.clear()
        self.wait_loaded(self.call("Page.navigate", url=address)["loaderId"], address)

    def reload(self) -> None:
        """Loads the page again."""
        self.call("Page.reload")
        begun = self.wait(lambda m: m.get("method") == "Page.lifecycleEvent" and m["params"]["name"] == "init", "the page")
        self.wait_loaded(begun["params"]["loaderId"], "the page")

    def wait_loaded(self, loader: str, what: str) -> None:
        """Waits for the end of one loading. That of the page before may be reported late."""
        loaded = {"name": "load", "loaderId": loader}
        self.wait(lambda m: m.get("method") == "Page.lifecycleEvent" and loaded.items() <= m["params"].items(), what)

    def run(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def press(self, key: str, code: str | None = None, text: str = "") -> None:
        """Presses a key, as a keyboard does."""
        common = {
            "key": key,
            "code": code or key,
            "windowsVirtualKeyCode": {
                "Tab": 9,
                "Enter": 13,
                "End": 35,
                "Home": 36,
                "ArrowLeft": 37,
                "ArrowUp": 38,
                "ArrowRight": 39,
                "ArrowDown": 40,
            }.get(key, 0),
        }
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def picture(self, path: pathlib.Path, whole: bool = False) -> None:
        """A picture of the window, or of the whole page."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def print(self, path: pathlib.Path) -> None:
        """The page on A4 paper."""
        result = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False, transferMode="ReturnAsStream")
        with path.open("wb") as file:
            while True:
                part = self.call("IO.read", handle=result["stream"], size=1 << 20)
                file.write(base64.b64decode(part["data"]) if part.get("base64Encoded") else part["data"].encode())
                if part["eof"]:
                    return
