"""Firefox ESR and WebKitGTK as they come with Debian, each as one visitor with one tab.

Firefox is asked over WebDriver BiDi, which it speaks by itself; WebKitGTK through its own driver.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any, Protocol

import websocket
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

PATIENCE_S = 90
KEYS = {"ArrowRight": Keys.ARROW_RIGHT, "Tab": Keys.TAB, "Enter": Keys.ENTER, "Space": Keys.SPACE}
BIDI_KEYS = {"ArrowRight": "\ue014", "Tab": "\ue004", "Enter": "\ue007", "Space": " "}
BROWSERS = {"firefox": "firefox-esr", "webkit": "WebKitWebDriver"}
"""Name -> the program that is looked for."""
PACKAGES = {"firefox": "firefox-esr", "webkit": "webkit2gtk-driver xvfb"}
MINI_BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser", "/usr/libexec/webkit2gtk-4.*/MiniBrowser"


class Visitor(Protocol):
    """What the tests ask of a browser."""

    def open(self, url: str) -> None:
        """Go to a page and wait until it can be asked."""

    def run(self, function: str, *values: Any) -> Any:
        """What an (async) function of the page gives; values go in and out as JSON."""

    def press(self, key: str) -> None:
        """Press and release a key, where the focus is."""

    def close(self) -> None:
        """Leave nothing behind."""


def wait(visitor: Visitor, expression: str) -> Any:
    """Wait in the page until an expression is true, and give its value."""
    return visitor.run(
        "async () => { for (;;) { const found = (" + expression + ");"
        " if (found) return found; await new Promise(requestAnimationFrame); } }"
    )


def start(name: str) -> Visitor:
    """Start a browser. Raises FileNotFoundError with the packages to install if it is missing."""
    if not shutil.which(BROWSERS[name]):
        raise FileNotFoundError(
            f"{BROWSERS[name]} is not installed: install the packages {PACKAGES[name]} of Debian."
        )
    return Firefox() if name == "firefox" else WebKit()


class Firefox:
    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = [
            "firefox-esr", "--headless", "--no-remote", "--remote-debugging-port", "0",
            "--profile", self._folder.name,
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        self._socket = websocket.create_connection(
            f"{self._address()}/session", suppress_origin=True, timeout=PATIENCE_S
        )
        self._asked = 0
        self._ask("session.new", capabilities={})
        self._tab = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, url: str) -> None:
        self._ask("browsingContext.navigate", context=self._tab, url=url, wait="interactive")

    def run(self, function: str, *values: Any) -> Any:
        answer = self._ask(
            "script.callFunction",
            functionDeclaration=f"async (given) => JSON.stringify("
            f"await ({function})(...JSON.parse(given)) ?? null)",
            arguments=[{"type": "string", "value": json.dumps(values)}],
            target={"context": self._tab},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def press(self, key: str) -> None:
        strokes = [{"type": kind, "value": BIDI_KEYS[key]} for kind in ("keyDown", "keyUp")]
        self._ask(
            "input.performActions",
            context=self._tab,
            actions=[{"type": "key", "id": "keyboard", "actions": strokes}],
        )

    def close(self) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(PATIENCE_S)
        self._process.stderr.close()
        self._folder.cleanup()

    def _address(self) -> str:
        """Where it listens, which it says on its standard error."""
        said, end = b"", time.monotonic() + PATIENCE_S
        stream = self._process.stderr
        while time.monotonic() < end and self._process.poll() is None:
            if select.select([stream], [], [], 1)[0]:
                said += os.read(stream.fileno(), 4096)
                if found := re.search(rb"(ws://\S+)\s", said):
                    return found[1].decode()
        raise RuntimeError(f"Firefox has not said where it listens: {said.decode()[-400:]}")

    def _ask(self, method: str, **values: Any) -> dict[str, Any]:
        self._asked += 1
        self._socket.send(json.dumps({"id": self._asked, "method": method, "params": values}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == self._asked:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                return answer["result"]


class WebKit:
    def __init__(self) -> None:
        found = [str(path) for rule in MINI_BROWSERS for path in sorted(Path("/").glob(rule[1:]))]
        self._screen = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        number = self._screen.stdout.readline().decode().strip()
        options = Options()
        options.binary_location = found[0]
        options.add_argument("--automation")
        environment = {
            **os.environ, "DISPLAY": f":{number}", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
            "LIBGL_ALWAYS_SOFTWARE": "1",
        }  # fmt: skip
        service = Service(executable_path=shutil.which(BROWSERS["webkit"]), env=environment)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Selenium's, of its own parts
            self._driver = webdriver.WebKitGTK(options=options, service=service)
        self._driver.set_script_timeout(PATIENCE_S)

    def open(self, url: str) -> None:
        self._driver.get(url)

    def run(self, function: str, *values: Any) -> Any:
        answer = self._driver.execute_async_script(
            f"const done = arguments[1]; Promise.resolve(JSON.parse(arguments[0]))"
            f".then((given) => ({function})(...given))"
            ".then((value) => done(JSON.stringify([value ?? null])),"
            " (error) => done(JSON.stringify({ error: String(error) })));",
            json.dumps(values),
        )
        found = json.loads(answer)
        if isinstance(found, dict):
            raise RuntimeError(found["error"])
        return found[0]

    def press(self, key: str) -> None:
        ActionChains(self._driver).send_keys(KEYS[key]).perform()

    def close(self) -> None:
        self._driver.quit()
        self._screen.terminate()
        self._screen.wait(PATIENCE_S)
        self._screen.stdout.close()
