"""``plain.py`` as ``panel convert`` makes a page of it, hosted without any other host.

Panel converts to Pyodide in the page itself: its template for a worker needs classic workers, which
this Pyodide has no more. Of the page that it writes, three things are changed, each to its good:
scripts and style sheets come from the installed packages; Pyodide is the site's own version; and
instead of ``micropip``, which would look every package up, the wheels are loaded by their names.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import build

APP = Path(__file__).with_name("plain.py")
LIVE = "app-live"
"""The mark that the page sets when its document is live."""
INSTALL = re.compile(r'await pyodide\.loadPackage\("micropip"\);\s*await pyodide\..*?`\);', re.S)


def convert(folder: Path) -> None:
    """Write the page and all that it loads. Raises ValueError if Panel's page is another one."""
    runtime = build.collect_runtime([], offline=True)
    (folder / "pyodide").mkdir(parents=True)
    lock = build.json.dumps(build.pins()["lock"])
    for name, data in {**runtime, "pyodide-lock.json": lock.encode()}.items():
        (folder / "pyodide" / name).write_bytes(data)
    wheels = [f"pyodide/{name}" for name in runtime if name.endswith(".whl")]
    for name in sorted({*build.PACKAGES, "pyodide_http", "sim"}):
        wheels.append(f"{name}-1.0-py3-none-any.whl")
        write_wheel(folder / wheels[-1], name)
    version = importlib.metadata.version("panel")
    for name, static, target in (
        ("bokeh", "server/static/js", "bokeh"),
        ("panel", "dist", f"panel/{version}/dist"),  # where Panel looks for it
    ):
        origin = Path(importlib.util.find_spec(name).origin).parent / static
        ignore = shutil.ignore_patterns("*.map")
        shutil.copytree(origin, folder / "static" / target, ignore=ignore)
    page = self_hosted(converted_page(), wheels)
    (folder / "index.html").write_text(page, encoding="utf-8")


def converted_page() -> str:
    """What ``panel convert`` writes."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "panel", "convert", APP, "--to", "pyodide", "--out", out]
        environment = {**os.environ, "PYTHONPATH": str(build.ROOT)}
        run = subprocess.run(command, capture_output=True, text=True, env=environment)
        page = Path(out, "plain.html")
        if not page.is_file():  # Panel exits with 0 all the same
            raise ValueError(f"panel convert has failed: {run.stdout[-500:]}{run.stderr[-500:]}")
        return page.read_text(encoding="utf-8")


def self_hosted(page: str, wheels: list[str]) -> str:
    """The page with every address of another host replaced."""
    page = re.sub(
        r'<script src="https://cdn\.jsdelivr\.net/pyodide/[^"]*" defer></script>',
        '<script type="module">import { loadPyodide } from "./pyodide/pyodide.mjs";'
        "window.loadPyodide = loadPyodide;</script>",
        page,
    )
    page, found = INSTALL.subn(f"await pyodide.loadPackage({wheels});", page)
    loading = "await pyodide.runPythonAsync(code);"
    if found != 1 or page.count(loading) != 1:
        raise ValueError("panel convert writes another page than this knows: see converted.py.")
    page = page.replace(loading, f'{loading} performance.mark("{LIVE}");')
    page = re.sub(r"https://cdn\.bokeh\.org/bokeh/release/(bokeh[a-z-]*)-[\d.]+\.min\.js",
                  r"static/bokeh/\1.min.js", page)  # fmt: skip
    page = page.replace("https://cdn.holoviz.org/panel/", "static/panel/")
    return page.replace(
        "let pyodide = await loadPyodide();",
        'let pyodide = await loadPyodide({ env: { PANEL_CDN_ROOT: "./static/panel/" } });',
    )


def write_wheel(path: Path, name: str) -> None:
    """Write an installed package as a wheel of its Python files and data, without static files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for target, data in content(name):
            wheel.writestr(target, data)
        version = importlib.metadata.version(name) if name in build.PINNED else "1.0"
        said = {
            "WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n",
            "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            "RECORD": "",
        }
        for file, text in said.items():
            wheel.writestr(f"{name}-{version}.dist-info/{file}", text)


def content(name: str) -> Iterator[tuple[str, bytes]]:
    """The files of a package, by the names that they have in a wheel."""
    if name == "pyodide_http":  # not installed; here nothing is fetched through it
        yield "pyodide_http.py", b"def patch_all(): pass"
        return
    origin = Path(importlib.util.find_spec(name).origin)
    if origin.name != "__init__.py":
        yield origin.name, origin.read_bytes()
        return
    left = {"__pycache__", "dist", "static", "tests"}
    for path in build.files_in(origin.parent):
        parts = path.relative_to(origin.parent.parent)
        if not left & {*parts.parts} and path.suffix not in (".so", ".pyd"):
            yield parts.as_posix(), path.read_bytes()
