"""The house rules that can be read off the source: who imports whom, and what no module may do."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "sim": {"numpy"},
    "missions": {"numpy", "sim"},
    "lab": {"missions", "sim", "numpy", "param", "bokeh", "panel", "jinja2", "markdown_it"},
}
MODULES = sorted(path for package in ALLOWED for path in (ROOT / package).rglob("*.py"))


def name_of(path):
    return str(path.relative_to(ROOT))


def package_of(path):
    return path.relative_to(ROOT).parts[0]


def imported(tree):
    """The dotted names a module imports, those inside functions too; relative ones stay home."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def dotted(node):
    """`a.b.c` as text, or nothing if the expression is anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return ""


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


every_module = pytest.mark.parametrize("path", MODULES, ids=name_of)


@every_module
def test_imports_point_one_way(path):
    package = package_of(path)
    allowed = ALLOWED[package] | {package} | sys.stdlib_module_names
    outside = {name.split(".")[0] for name in imported(parsed(path))} - allowed
    assert outside == set(), f"{name_of(path)} imports {sorted(outside)}"


@every_module
def test_nothing_imports_the_build(path):
    assert "build" not in {name.split(".")[0] for name in imported(parsed(path))}


@every_module
def test_randomness_is_passed_never_reached_for(path):
    """Generators are made by the streams alone; elsewhere only their type may be named."""
    tree = parsed(path)
    assert not {name for name in imported(tree) if name.split(".")[0] in {"random", "secrets"}}
    used = {
        name.split("random.", 1)[1]
        for name in map(dotted, ast.walk(tree))
        if name.startswith(("np.random.", "numpy.random."))
    }
    used |= {
        name.removeprefix("numpy.random.")
        for name in imported(tree)
        if name.startswith("numpy.random.")
    }
    allowed = {"Generator"}
    if name_of(path) == "sim/streams.py":
        allowed |= {"default_rng"}
    assert used <= allowed, f"{name_of(path)} uses np.random.{sorted(used - allowed)}"


@every_module
def test_a_module_is_short_enough_to_read(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= 300, f"{name_of(path)} has {lines} lines"


def test_the_rules_find_what_breaks_them():
    """A rule that reads nothing would hold for ever."""
    tree = ast.parse(
        "import build\n"
        "def f():\n"
        "    from numpy.random import rand\n"
        "    from . import home\n"
        "    return np.random.seed(1)\n"
    )
    assert set(imported(tree)) == {"build", "numpy.random", "numpy.random.rand"}
    assert "np.random.seed" in set(map(dotted, ast.walk(tree)))


def test_what_is_shipped_does_without_what_only_makes_pages():
    """The build leaves these modules out, so nothing in the browser may import them."""
    tree = parsed(ROOT / "build.py")
    (names,) = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and dotted(node.targets[0]) == "HOST_ONLY"
    ]
    left_out = {f"lab.{name.removesuffix('.py')}" for name in names if name.endswith(".py")}
    assert {"lab.page", "lab.article"} <= left_out
    for path in MODULES:
        if path.parent.name == "lab" and path.name not in names:
            assert set(imported(parsed(path))) & (left_out | {"markdown_it"}) == set(), name_of(
                path
            )


def test_what_is_shipped_does_without_the_studies_that_make_pages():
    """The build leaves out the modules that stand in ``sim/studies`` itself."""
    folder = ROOT / "sim/studies"
    left_out = {f"sim.studies.{path.stem}" for path in folder.glob("*.py")} - {
        "sim.studies.__init__"
    }
    assert {"sim.studies.study", "sim.studies.catalogue"} <= left_out
    makes_pages = {ROOT / "lab/studies.py", ROOT / "sim/__main__.py", *folder.glob("*.py")}
    for path in set(MODULES) - makes_pages:
        assert set(imported(parsed(path))) & left_out == set(), name_of(path)


def test_neither_the_simulator_nor_the_lab_loads_a_study_at_start():
    code = "import sys, sim, lab.app; print([n for n in sys.modules if 'studies' in n])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr
