"""The build tool, without network and without a whole build."""

import contextlib
import dataclasses
import http.client
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def load_build():
    """Import build.py from its file: an installed package may have the same name."""
    spec = importlib.util.spec_from_file_location("site_build", ROOT / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = load_build()
GOOD, BAD = b"the pinned bytes", b"other bytes"
PINS = {"core.wasm": {"sha256": build.sha256(GOOD), "size": len(GOOD)}}


def folder_with(folder, data):
    """Write core.wasm with these bytes into a folder, made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "core.wasm").write_bytes(data)
    return folder


# --- sources ---------------------------------------------------------------------------------


def test_bytes_with_another_hash_are_refused_and_told(tmp_path, capsys):
    folder = folder_with(tmp_path / "given", BAD)
    with pytest.raises(build.Refusal) as refusal:
        build.collect(PINS, {f"The folder {folder}": build.from_folder(folder)})
    sentence = (
        f"The folder {folder} offers a core.wasm that is refused:"
        f" its sha256 is {build.sha256(BAD)}, expected is {build.sha256(GOOD)}."
    )
    assert sentence in str(refusal.value)
    assert sentence in capsys.readouterr().err


def test_a_later_source_is_used_when_an_earlier_one_is_refused(tmp_path):
    bad, good = folder_with(tmp_path / "bad", BAD), folder_with(tmp_path / "good", GOOD)
    sources = {"bad": build.from_folder(bad), "good": build.from_folder(good)}
    assert build.collect(PINS, sources) == {"core.wasm": GOOD}


def test_a_file_that_no_source_has_names_every_source_tried(tmp_path):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/"
    sources = {
        "The cache": build.from_folder(tmp_path / "absent"),
        "The folder": build.from_folder(tmp_path),
        f"The CDN {address}": build.from_cdn(address, {"core.wasm": 1}),
    }
    with pytest.raises(build.Refusal) as refusal:
        build.collect(PINS, sources)
    lines = str(refusal.value).splitlines()
    assert lines[:3] == [
        "No source has core.wasm.",
        "The cache has no core.wasm.",
        "The folder has no core.wasm.",
    ]
    assert lines[3].startswith(f"The CDN {address} cannot be read: ")
    assert "refused" in lines[3]
    assert "--source" in lines[4]


def test_an_unreachable_source_is_asked_once(tmp_path):
    asked = []

    def unreachable(name):
        asked.append(name)
        raise TimeoutError("timed out")

    with pytest.raises(build.Refusal, match=r"The CDN cannot be read: timed out\."):
        build.collect(PINS | {"second": PINS["core.wasm"]}, {"The CDN": unreachable})
    assert asked == ["core.wasm"]


@pytest.fixture
def small_root(tmp_path, monkeypatch):
    """A repository that pins one small file, and a cache of its own."""
    (tmp_path / "root/lab").mkdir(parents=True)
    pins = {"pyodide": "1.2", "files": PINS, "cdn": "", "mirror": {}}
    (tmp_path / "root/lab/runtime.json").write_text(json.dumps(pins))
    monkeypatch.setattr(build, "ROOT", tmp_path / "root")
    monkeypatch.setenv("CCL_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_a_damaged_cache_entry_is_replaced_and_not_used(small_root):
    cached = folder_with(small_root / "cache/pyodide-1.2", BAD) / "core.wasm"
    given = folder_with(small_root / "given", GOOD)
    assert build.collect_runtime([given], offline=True) == {"core.wasm": GOOD}
    assert cached.read_bytes() == GOOD


def test_the_cache_alone_is_enough(small_root):
    folder_with(small_root / "cache/pyodide-1.2", GOOD)
    assert build.collect_runtime([], offline=True) == {"core.wasm": GOOD}


def test_a_cache_that_cannot_be_written_is_told_in_a_sentence(small_root, monkeypatch):
    given = folder_with(small_root / "given", GOOD)
    monkeypatch.setenv("CCL_CACHE", str(given / "core.wasm"))
    with pytest.raises(build.Refusal) as refusal:
        build.collect_runtime([given], offline=True)
    assert str(refusal.value).startswith("The cache cannot be written, ")
    assert str(refusal.value).endswith(": name another folder with CCL_CACHE.")


def test_offline_tries_no_network(small_root):
    with pytest.raises(build.Refusal) as refusal:
        build.collect_runtime([], offline=True)
    assert "CDN" not in str(refusal.value)
    assert "wheel" not in str(refusal.value)


def test_the_pins_are_complete():
    pins = json.loads((ROOT / "lab/runtime.json").read_text())
    assert all(len(pin["sha256"]) == 64 and pin["size"] > 0 for pin in pins["files"].values())
    assert f"v{pins['pyodide']}/" in pins["cdn"]


# --- archives --------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [build.zipped, build.tarred])
def test_the_same_files_give_the_same_archive(tmp_path, pack):
    names = ["b/two.pyc", "a.pyc", "b/one.pyc"]
    for folder, order, age in (("first", names, 0), ("second", names[::-1], 86400)):
        for name in order:
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(name.encode() * 100)
            os.utime(path, (1e9 + age, 1e9 + age))
            path.chmod(0o600 if age else 0o644)
    assert pack(tmp_path / "first") == pack(tmp_path / "second")


def test_a_name_in_any_import_of_ours_is_shipped(tmp_path):
    (tmp_path / "sim").mkdir()
    (tmp_path / "sim/late.py").write_text(
        "def later():\n    from json import tool\n    import csv\n"
    )
    assert {"json.tool", "json", "csv"} <= set(build.named_imports(tmp_path))


# --- write -----------------------------------------------------------------------------------


@pytest.mark.parametrize("package", build.LAZY)
def test_a_lazy_package_has_the_names_of_the_real_one(package):
    real = importlib.import_module(package)
    lazy = types.ModuleType(package)
    exec(build.lazy(package), vars(lazy))
    names = set(getattr(real, "__all__", lazy.WHERE)) - {"serve"}  # which is another in a browser
    assert len(names) > 9
    assert {name for name in names if getattr(lazy, name) is not getattr(real, name)} == set()
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nonsense'"):
        _ = lazy.nonsense


def test_a_lazy_package_imports_nothing_before_a_name_is_asked_for():
    code = f"import sys; exec({build.lazy('bokeh.models')!r}); print('bokeh' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_a_claim_of_the_article_that_does_not_hold_stops_the_build(tmp_path, monkeypatch):
    from lab import article

    (tmp_path / "lab/pyodide").mkdir(parents=True)
    (tmp_path / "lab" / build.PACKED).write_bytes(build.tarred(tmp_path / "lab/pyodide"))
    source = article.read()
    false = dataclasses.replace(source, body="{{claim: most | instruction_lost default}}", line=1)
    monkeypatch.setattr(article, "read", lambda: false)
    with pytest.raises(build.Refusal) as refusal:
        build.render_pages(tmp_path / "site", tmp_path / "lab")
    assert str(refusal.value) == (
        "article.md, line 1: the claim “most” does not hold, since instruction_lost is 1.5 %:"
        " correct the words, or the settings they are about."
    )
    assert not (tmp_path / "site").exists()


def test_a_finding_of_a_study_that_does_not_hold_stops_the_build(tmp_path, monkeypatch):
    from lab import studies

    (tmp_path / "lab/pyodide").mkdir(parents=True)
    (tmp_path / "lab" / build.PACKED).write_bytes(build.tarred(tmp_path / "lab/pyodide"))
    real = studies.run_study("avoid_or_execute")
    false = dataclasses.replace(real.findings[0], holds=False)
    monkeypatch.setattr(
        studies, "run_study", lambda name, seed: dataclasses.replace(real, findings=(false,))
    )
    with pytest.raises(build.Refusal, match=r"^the study avoid_or_execute says “A compaction"):
        build.render_pages(tmp_path / "site", tmp_path / "lab")
    assert not (tmp_path / "site").exists()


# --- check -----------------------------------------------------------------------------------


LAB = "lab-0123456789ab"


def placed(name):
    """Where a file of the small site is."""
    return name if name.endswith(".html") else f"{LAB}/{name}"


@pytest.fixture
def site(tmp_path):
    """A small site without a fault."""
    packages, site = tmp_path / "packages", tmp_path / "site"
    versions = {"bokeh": "3.9", "panel": "1.9", "param": "2.4", "numpy": "2.4", "pyodide": "314"}
    packages.mkdir()
    (packages / "versions.json").write_text(json.dumps(versions))
    files = {
        "index.html": '<!doctype html><link rel="stylesheet" href="./lab-0123456789ab/lab.css">'
        '<a href="https://x.org"><script type="module" src="lab-0123456789ab/boot.js">'
        '</script><img src="data:image/png;base64,AA">'
        '<a href="manifest.json">what is in it</a>',
        "article.html": '<!doctype html><a href="./?v=1&amp;window=32000">the lab</a>',
        "studies.html": "<!doctype html>",
        "licenses.html": "<!doctype html>",
        f"{LAB}/lab.css": "@media print { a { background: url('dot.svg#x') } }",
        f"{LAB}/dot.svg": "<svg/>",
        "embed.js": "customElements",
        "previews.js": "labPreviews({})",
        "sw.js": "caches",
        f"{LAB}/boot.js": 'new Worker(new URL("worker.js", import.meta.url), { type: "module" });\n'
        'const text = "import of other things";\nconst site = "https://x.org/page";\n',
        f"{LAB}/worker.js": 'import { a } from "./pyodide/pyodide.mjs";\nfetch("data.json?v=1")\n',
        f"{LAB}/data.json": '{"link": "https://x.org/"}',
        f"{LAB}/static/bokeh.min.js": 'o.version="3.9"; fetch("https://cdn.example/unused.js")',
        f"{LAB}/pyodide/pyodide.mjs": 'var Y="314"',
    }
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    (site / LAB / "packages.tar.gz").write_bytes(build.tarred(packages))
    build.write_manifest(site, {"versions": versions, "inputs": "x"})
    return site


def edited(site, name, text):
    """Change a file of the site and bring the manifest up to date; return the faults found."""
    (site / placed(name)).write_text(text)
    old = json.loads((site / "manifest.json").read_text())
    (site / "manifest.json").unlink()
    build.write_manifest(site, {key: old[key] for key in ("versions", "inputs")})
    return build.check(site)[0]


def test_a_whole_site_passes_with_a_summary(site):
    faults, summary = build.check(site)
    assert faults == []
    assert summary.startswith("15 files, 0.0 MB, ")


def test_check_catches_a_missing_file(site):
    (site / placed("dot.svg")).unlink()
    assert build.check(site)[0] == [f"{LAB}/dot.svg is missing."]


def test_check_catches_a_site_built_without_a_part_it_needs(site):
    manifest = json.loads((site / "manifest.json").read_text())
    (site / placed("packages.tar.gz")).unlink()
    del manifest["files"][placed("packages.tar.gz")]
    (site / "manifest.json").write_text(json.dumps(manifest))
    assert build.check(site)[0] == ["packages.tar.gz is missing."]


def test_check_catches_a_changed_byte(site):
    (site / placed("dot.svg")).write_text("<svg.>"[:6])
    said = [f"{LAB}/dot.svg is not the file that was built: its size or sha256 differs."]
    assert build.check(site)[0] == said


def test_check_catches_a_stray_file(site):
    (site / "notes.txt").write_text("")
    assert build.check(site)[0] == ["notes.txt is in the folder, but not in the manifest."]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("index.html", '<script src="https://cdn.example/a.js"></script>'),
        ("index.html", "<script async src=//cdn.example/a.js></script>"),
        ("index.html", '<link rel="preload" as="font" href="https://cdn.example/f.woff2">'),
        ("index.html", '<p style="background: url(https://cdn.example/a.png)">'),
        ("index.html", '<script type="module">import "https://cdn.example/a.mjs"</script>'),
        ("lab.css", '@import "https://cdn.example/a.css";'),
        ("boot.js", 'const reply = await fetch("https://cdn.example/data");'),
        ("boot.js", 'import { a } from "https://cdn.example/a";'),
        ("boot.js", "const m = await import('https://cdn.example/a');"),
        ("data.json", '{"stylesheets": ["https://cdn.example/panel.css"]}'),
    ],
)
def test_check_catches_what_is_fetched_from_another_host(site, name, text):
    (fault,) = set(edited(site, name, text))
    assert fault.startswith(f"{placed(name)} fetches ")
    assert fault.endswith(", from another host.")
    assert "//cdn.example/" in fault


@pytest.mark.parametrize(
    ("name", "text", "address"),
    [
        ("index.html", '<script src="gone.js"></script>', "gone.js"),
        ("index.html", '<a href="gone.html">', "gone.html"),
        ("lab.css", "a { background: url(gone.png) }", "gone.png"),
        ("worker.js", 'import { a } from "./pyodide/gone.mjs";', "./pyodide/gone.mjs"),
        ("worker.js", 'import {\n  a,\n} from "../boot.js";', "../boot.js"),
    ],
)
def test_check_catches_an_address_that_leads_nowhere(site, name, text, address):
    assert edited(site, name, text) == [
        f"{placed(name)} refers to {address}, which is not in the site."
    ]


def test_check_catches_scripts_of_another_version(site):
    assert edited(site, "static/bokeh.min.js", 'o.version="3.8"') == [
        "static/bokeh.min.js is not of bokeh 3.9."
    ]


def test_check_catches_packages_of_another_version(site):
    manifest = json.loads((site / "manifest.json").read_text())
    manifest["versions"]["numpy"] = "2.5"
    (site / "manifest.json").write_text(json.dumps(manifest))
    assert build.check(site)[0] == ["packages.tar.gz does not carry numpy 2.5."]


def test_check_holds_the_budget(site, monkeypatch):
    monkeypatch.setattr(build, "BUDGET", 10)
    (fault,) = build.check(site)[0]
    assert fault.startswith("The site is 0.0 MB gzipped, over ")


def test_check_holds_the_script_of_other_pages_under_4_kilobytes(site, monkeypatch):
    size = (site / "embed.js").stat().st_size
    monkeypatch.setattr(build, "EMBED_LIMIT", size + 1)
    assert build.check(site)[0] == []
    monkeypatch.setattr(build, "EMBED_LIMIT", size)
    assert build.check(site)[0] == [f"embed.js has {size} bytes and must stay under {size}."]


def test_a_folder_without_a_site_is_said_to_hold_none(tmp_path, capsys):
    assert build.main(["--check", "--out", str(tmp_path)]) == 1
    assert "holds no site that can be checked" in capsys.readouterr().out


@pytest.mark.parametrize(
    "manifest",
    [
        *(b"[]", b"null", b'"x"', b"\xff\x00", b"[" * 100_000, b""),
        b'{"site": "context-compaction-lab", "files": [], "versions": {}}',
        b'{"site": "context-compaction-lab", "files": {"index.html": {}}, "versions": {}}',
        b'{"site": "context-compaction-lab", "files": {}, "versions": []}',
        b'{"files": {}, "versions": {}}',
    ],
)
def test_a_manifest_that_is_none_is_told_in_a_sentence(site, manifest, capsys):
    (site / "manifest.json").write_bytes(manifest)
    assert build.main(["--check", "--out", str(site)]) == 1
    assert capsys.readouterr().out == (
        f"{site} holds no site that can be checked: its manifest.json is not that of a site.\n"
    )


def test_check_catches_packages_that_are_no_archive(site):
    assert edited(site, "packages.tar.gz", "nonsense") == [
        "packages.tar.gz is not an archive of packages."
    ]


def test_check_catches_a_script_that_is_no_text(site):
    (site / placed("boot.js")).write_bytes(b"\xff\xfe\x00")
    assert edited(site, "dot.svg", "<svg/>") == [f"{LAB}/boot.js is not text."]


def test_the_command_line_check_exits_with_0_or_1(site, capsys):
    assert build.main(["--check", "--out", str(site)]) == 0
    assert "MB gzipped." in capsys.readouterr().out
    (site / placed("dot.svg")).unlink()
    assert build.main(["--check", "--out", str(site)]) == 1
    assert capsys.readouterr().out.startswith(f"{LAB}/dot.svg is missing.\n")


# --- serve -----------------------------------------------------------------------------------


@contextlib.contextmanager
def served(site, port=None):
    """Serve a folder in a thread; give a function from path to response."""
    with build.open_server(site, port) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()

        def get(path):
            link = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
            link.request("GET", path)
            response = link.getresponse()
            response.read()
            link.close()
            return response

        yield get
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.mjs", "text/javascript"),
        ("a.js", "text/javascript"),
        ("a.wasm", "application/wasm"),
        ("index.html", "text/html"),
    ],
)
def test_files_are_served_with_their_type(tmp_path, name, kind):
    (tmp_path / name).write_text("")
    with served(tmp_path) as get:
        response = get(f"/{name}")
    assert response.status == 200
    assert response.getheader("Content-Type").startswith(kind)


@pytest.mark.parametrize("suffix", [".js", ".mjs", ".wasm"])
def test_types_that_matter_do_not_depend_on_the_system(suffix):
    kind = "application/wasm" if suffix == ".wasm" else "text/javascript"
    assert build.Handler.extensions_map[suffix] == kind


def test_only_this_machine_is_served(tmp_path):
    with build.open_server(tmp_path, 0) as server:
        assert server.server_address[0] == "127.0.0.1"


def test_a_port_that_is_taken_is_refused_when_it_was_asked_for(tmp_path):
    with build.open_server(tmp_path, 0) as first:
        port = first.server_port
        with pytest.raises(build.Refusal, match=f"Port {port} is taken"):
            build.open_server(tmp_path, port)


def test_another_port_is_taken_when_none_was_asked_for(tmp_path):
    with build.open_server(tmp_path, None), build.open_server(tmp_path, None) as second:
        assert second.server_port not in (0, 8000)


def test_a_site_is_fresh_until_an_input_changes(tmp_path, monkeypatch):
    for name in ("build.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "sim").mkdir()
    (tmp_path / "sim/__init__.py").write_text("")
    monkeypatch.setattr(build, "ROOT", tmp_path)
    (tmp_path / "site").mkdir()
    assert not build.is_fresh(tmp_path / "site")
    (tmp_path / "site/index.html").write_text("whole")
    build.write_manifest(tmp_path / "site", {"versions": {}, "inputs": build.inputs()})
    assert build.is_fresh(tmp_path / "site")
    for damaged in ("whol", "wholE"):
        (tmp_path / "site/index.html").write_text(damaged)
        assert not build.is_fresh(tmp_path / "site")
    (tmp_path / "site/index.html").unlink()
    assert not build.is_fresh(tmp_path / "site")
    (tmp_path / "site/index.html").write_text("whole")
    (tmp_path / "sim/__init__.py").write_text("x = 1\n")
    assert not build.is_fresh(tmp_path / "site")


# --- command line ----------------------------------------------------------------------------


def refused(arguments, capsys):
    """Return what the parser says about arguments that it must refuse."""
    with pytest.raises(SystemExit) as leaving:
        build.parse(arguments)
    assert leaving.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--nonsense"], "--nonsense"),
        (["--port", "80"], "--serve"),
        (["--serve", "--port", "many"], "many"),
        (["--serve", "--port", "70000"], "65535"),
        (["--source", "no/such/folder"], "no/such/folder is not a folder"),
        (["--check", "--serve"], "--check"),
        (["--check", "--offline"], "--check"),
    ],
)
def test_bad_arguments_exit_with_2_and_one_sentence(arguments, word, capsys):
    said = refused(arguments, capsys)
    assert word in said
    assert said.count("\n") == 1
    assert said.endswith(".\n")


def test_a_folder_with_something_else_in_it_is_not_overwritten(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("years of work")
    said = refused(["--out", str(tmp_path)], capsys)
    assert said == f"--out {tmp_path} holds something that is not a site and would be lost.\n"


def test_a_folder_with_a_manifest_of_others_is_not_overwritten(tmp_path, capsys):
    (tmp_path / "manifest.json").write_text('{"name": "thesis", "files": {}, "versions": {}}')
    said = refused(["--out", str(tmp_path)], capsys)
    assert said == f"--out {tmp_path} holds something that is not a site and would be lost.\n"


def test_a_site_is_replaced(site):
    assert build.parse(["--out", str(site)]).out == site


def test_a_folder_that_cannot_be_written_is_told_in_a_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    out = tmp_path / "file/below/site"
    monkeypatch.setattr(build, "collect_runtime", lambda folders, offline: {})
    assert build.main(["--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"{out} cannot be written or read, ")
    assert said.endswith(": name another folder with --out.\n")
    assert said.count("\n") == 1


def test_a_version_that_is_not_pinned_is_refused(tmp_path, monkeypatch):
    (tmp_path / "lab").mkdir()
    shutil.copy(ROOT / "lab/runtime.json", tmp_path / "lab")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nversion = "1"\ndependencies = ["numpy==0.1"]\n'
    )
    monkeypatch.setattr(build, "ROOT", tmp_path)
    with pytest.raises(build.Refusal, match=r"numpy .* is installed, but pyproject\.toml pins"):
        build.pinned_versions()
