"""Whole builds of a stand-in app: a minute of work, so only when CCL_WHOLE_BUILD=1 is set.

They also need the runtime's files in the cache, where any earlier build has left them.
"""

import filecmp
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    "CCL_WHOLE_BUILD" not in os.environ, reason="a whole build is asked for by CCL_WHOLE_BUILD=1"
)

ROOT = Path(__file__).resolve().parent.parent
PAGE = """
def parts():
    return {}

def render(folder, runtime):
    page = f'<!doctype html><script type="module" src="{folder}python.mjs"></script>'
    others = dict.fromkeys(("article.html", "studies.html"), b"<!doctype html>")
    return {"index.html": page.encode(), "previews.js": b"", **others}
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A repository with the build tool, the pins and a stand-in for the app."""
    tree = tmp_path_factory.mktemp("tree")
    (tree / "lab/web").mkdir(parents=True)
    web = [f"lab/web/{name}" for name in ("python.mjs", "embed.js", "sw.js")]
    for name in ("build.py", "pyproject.toml", "lab/runtime.json", *web):
        shutil.copyfile(ROOT / name, tree / name)
    shutil.copyfile(ROOT / "tests/standin/exercise.py", tree / "lab/exercise.py")
    (tree / "lab/__init__.py").write_text("")
    (tree / "lab/page.py").write_text(PAGE)
    (tree / "lab/inserts.py").write_text("class ArticleError(ValueError): pass\n")
    return tree


def run(tree, *arguments):
    """Run build.py there, without network."""
    command = [sys.executable, "build.py", "--offline", *arguments]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True)


@pytest.fixture(scope="module")
def sites(tree):
    """Two sites built from the same files into different folders."""
    spec = importlib.util.spec_from_file_location("site_build", ROOT / "build.py")
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    try:
        build.collect_runtime([], offline=True)
        build.find_node()
    except build.Refusal as refusal:
        pytest.skip(str(refusal).splitlines()[0])
    for name in ("first", "second/deep"):
        done = run(tree, "--out", str(tree / name))
        assert done.returncode == 0, done.stdout + done.stderr
    return tree / "first", tree / "second/deep"


def test_the_same_inputs_give_the_same_bytes(sites):
    first, second = sites
    names = [path.relative_to(first) for path in first.rglob("*") if path.is_file()]
    assert len(names) == 15
    assert filecmp.cmpfiles(first, second, names, shallow=False) == (names, [], [])


def test_nothing_is_left_beside_the_site(sites):
    assert {path.name for path in sites[1].parent.iterdir()} == {"deep"}


def test_the_site_ships_no_source_and_little_of_the_standard_library(sites):
    manifest = json.loads((sites[0] / "manifest.json").read_text())
    sizes = {name.partition("/")[2]: said["size"] for name, said in manifest["files"].items()}
    assert sizes["packages.tar.gz"] < 4_000_000
    assert sizes["pyodide/python_stdlib.zip"] < 2_000_000


def test_an_exercise_that_fails_in_the_browser_ends_the_build(sites, tree):
    path = tree / "lab/exercise.py"
    working = path.read_text()
    path.write_text("import panel\n\ndef main():\n    panel.pane.Vega()\n")
    done = run(tree, "--out", str(sites[0]))
    path.write_text(working)
    assert done.returncode == 1
    assert "panel.pane.vega.Vega is left out of the site: see STUBS in build.py" in done.stderr
    assert (sites[0] / "manifest.json").exists()
