"""Ways to break the site, by name."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.site.host import Host

MISSING = {
    "missing packages": "packages.tar.gz",
    "missing wasm": "pyodide/pyodide.asm.wasm",
    "missing pyodide": "pyodide/pyodide.mjs",
    "missing pyodide glue": "pyodide/pyodide.asm.mjs",
    "missing pyodide lock": "pyodide/pyodide-lock.json",
    "missing stdlib": "pyodide/python_stdlib.zip",
    "missing worker": "worker.js",
    "missing python script": "python.mjs",
    "missing bokeh": "static/bokeh.min.js",
    "missing bokeh widgets": "static/bokeh-widgets.min.js",
    "missing charts script": "charts.js",
    "missing actions script": "actions.js",
    "missing controls script": "controls.js",
    "missing engine script": "engine.js",
    "missing guard script": "guard.js",
    "missing readout script": "readout.js",
    "missing address script": "address.js",
    "missing embedded script": "embedded.js",
    "missing missions script": "missions.js",
    "missing share script": "share.js",
    "missing panels script": "panels.js",
    "missing agents script": "agents.js",
    "missing tabs script": "tabs.js",
    "missing dom script": "dom.js",
    "missing lean script": "lean.js",
    "missing offline script": "offline.js",
    "missing start script": "start.js",
    "missing style sheet": "lab.css",
}
CORRUPT = {
    "corrupted packages": "packages.tar.gz",
    "corrupted wasm": "pyodide/pyodide.asm.wasm",
    "corrupted stdlib": "pyodide/python_stdlib.zip",
    "corrupted bokeh": "static/bokeh.min.js",
    "corrupted boot script": "boot.js",
    "corrupted actions script": "actions.js",
    "corrupted controls script": "controls.js",
    "corrupted engine script": "engine.js",
    "corrupted readout script": "readout.js",
}
CUT = {
    "half a readout script": "readout.js",
    "half a start script": "start.js",
}
SCRIPTS = {
    "no WebAssembly": "delete globalThis.WebAssembly",
    "no module workers": """
        const Known = globalThis.Worker;
        globalThis.Worker = class extends Known { constructor(url) { super(url); } };
    """,
}
FRAMES = {"sandboxed frame": {}, "sandboxed frame of an open host": {"index.html": "cors"}}
FILE = "opened as a file"
MODES = (*MISSING, *CORRUPT, *CUT, *SCRIPTS, *FRAMES, FILE)


def sabotage(page: Page, host: Host, mode: str) -> str:
    """Break the site as one page will see it; returns the address to open.

    Raises ValueError for a mode that there is not.
    """
    if mode not in MODES:
        raise ValueError(f"{mode!r} is not a way to break the site: {', '.join(MODES)}.")
    if mode in SCRIPTS:
        page.add_init_script(SCRIPTS[mode])
    if mode in FRAMES:
        page.set_content(
            f'<iframe src="{host.url(FRAMES[mode])}" sandbox="allow-scripts"'
            ' style="width:1200px;height:800px"></iframe>'
        )
        return ""
    if mode == FILE:
        return (host.site / "index.html").as_uri()
    faults = {name: "missing" for key, name in MISSING.items() if key == mode}
    faults |= {name: "corrupt" for key, name in CORRUPT.items() if key == mode}
    faults |= {name: "cut" for key, name in CUT.items() if key == mode}
    return host.url(faults)
