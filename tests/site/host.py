"""The built site: found or built once, and served under a sub-path, with faults where asked."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import build

SUB_PATH = "some/where"
# For browsers that cannot be asked for their console.
RECORDER = b"""<script>window.__troubles = [];
addEventListener("error", (event) => __troubles.push(String(event.message ?? event.target)), true);
addEventListener("unhandledrejection", ({ reason }) => __troubles.push(String(reason)));
for (const kind of ["error", "warn"]) console[kind] = (...said) => __troubles.push(said.join(" "));
</script>"""


def find_site() -> Path:
    """The site to test: the one that LAB_SITE names, a fresh one, or else one built now."""
    if named := os.environ.get("LAB_SITE"):
        return Path(named).resolve()
    own = build.ROOT / "build" / "tested-site"
    for folder in (build.ROOT / "site", own):
        if build.is_fresh(folder):
            return folder
    own.parent.mkdir(exist_ok=True)
    subprocess.run([sys.executable, build.ROOT / "build.py", "--out", own], check=True)
    return own


@dataclass
class Pause:
    """A file is sent up to these bytes, and the rest when the event is set."""

    at: bytes
    over: threading.Event = field(default_factory=threading.Event)


Faults = dict[str, str | threading.Event | Pause | Path]


class Host:
    """Serves a site at ``url()``. Each ``url(**faults)`` is a copy of it in which files are ill.

    A fault is ``missing``, ``corrupt``, ``cut`` or ``cors``, or an event that is waited for before
    the file is sent, or a pause in the midst of it. ``recorded`` is none: that page writes down
    what goes wrong in it. A folder under the name ``*`` is served in the site's place; ``gone``
    there ends every connection unanswered.
    """

    def __init__(self, site: Path) -> None:
        self.site = site
        self.faults: list[Faults] = [{}]
        self.guests: list[str] = []
        self.sent: list[tuple[str, int]] = []
        """Path, without its query, and bytes of the body of every answer, in order."""
        host = self

        class Handler(build.Handler):
            def do_GET(self) -> None:  # noqa: N802
                host.answer(self)

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                if not isinstance(sys.exception(), ConnectionError):  # a page may leave early
                    super().handle_error(request, client_address)

        self.servers = [Server(("127.0.0.1", 0), Handler) for _ in range(2)]
        for server in self.servers:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, daemon=True).start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.servers[0].server_port}"

    @property
    def other_origin(self) -> str:
        """Another origin, which serves the same."""
        return f"http://127.0.0.1:{self.servers[1].server_port}"

    def guest(self, html: str, origin: str | None = None) -> str:
        """The address of a page that is not of the site; without an origin, on the site's own."""
        self.guests.append(html)
        return f"{origin or self.origin}/guest/{len(self.guests) - 1}"

    def url(self, faults: Faults | None = None) -> str:
        """The address of the site; with faults, that of a copy of its own."""
        if not faults:
            return f"{self.origin}/0/{SUB_PATH}/"
        self.faults.append(faults)
        return f"{self.origin}/{len(self.faults) - 1}/{SUB_PATH}/"

    def names(self) -> dict[str, Path]:
        """Every file of the site, by its name without the folder that pages load from."""
        found = {path.relative_to(self.site).as_posix(): path for path in build.files_in(self.site)}
        return {build.plain(name): path for name, path in found.items()}

    @contextmanager
    def holding(self, name: str) -> Iterator[tuple[str, threading.Event]]:
        """An address where one file is not sent before the event given with it is set."""
        event = threading.Event()
        try:
            yield self.url({name: event}), event
        finally:
            event.set()

    @contextmanager
    def pausing(self, name: str, at: bytes) -> Iterator[tuple[str, threading.Event]]:
        """An address where one file is sent up to ``at`` before the event given with it is set."""
        pause = Pause(at)
        try:
            yield self.url({name: pause}), pause.over
        finally:
            pause.over.set()

    def answer(self, request: build.Handler) -> None:
        """Answer one request of a browser."""
        _, copy, *rest = urlsplit(request.path).path.split("/")
        if copy == "guest":
            self._send(request, "page.html", self.guests[int(rest[0])].encode())
            return
        name = "/".join(rest).removeprefix(f"{SUB_PATH}/") or "index.html"
        known = copy.isdigit() and int(copy) < len(self.faults) and "/".join(rest) != name
        faults = self.faults[int(copy)] if known else {}
        site = faults.get("*")
        if site == "gone":
            request.close_connection = True
            return
        path = (site if isinstance(site, Path) else self.site) / name
        fault = faults.get(build.plain(name))
        if isinstance(fault, threading.Event):
            fault.wait(120)
        if not (known or not rest) or not path.is_file() or fault == "missing":
            request.send_error(404)
            return
        body = path.read_bytes()
        if fault == "cut":
            body = body[: len(body) // 2]
        if fault == "recorded":
            body = body.replace(b"<head>", b"<head>" + RECORDER, 1)
        if fault == "corrupt":
            middle = len(body) // 2
            body = body[:middle] + bytes(64) + body[middle + 64 :]
        pause = fault if isinstance(fault, Pause) else None
        self._send(request, name, body, is_open="cors" in faults.values(), pause=pause)

    def _send(
        self,
        request: build.Handler,
        name: str,
        body: bytes,
        is_open: bool = False,
        pause: Pause | None = None,
    ) -> None:
        tag = f'"{build.sha256(body)[:16]}"'
        if request.headers["If-None-Match"] == tag:  # as real hosts answer
            body = b""
            request.send_response(304)
        else:
            request.send_response(200)
        request.send_header("ETag", tag)
        request.send_header("Content-Type", request.guess_type(name))
        request.send_header("Content-Length", str(len(body)))
        if is_open:
            request.send_header("Access-Control-Allow-Origin", "*")
        request.end_headers()
        if pause and body:
            first = body.index(pause.at)
            request.wfile.write(body[:first])
            pause.over.wait(120)
            request.wfile.write(body[first:])
        else:
            request.wfile.write(body)
        self.sent.append((urlsplit(request.path).path, len(body)))

    def close(self) -> None:
        for server in self.servers:
            server.shutdown()
            server.server_close()
