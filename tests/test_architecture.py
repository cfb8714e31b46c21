"""The layout is the architecture: docs/architecture.md says what each room holds and which lie below it, and the
imports keep to it.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

import pytest

from tests.support.house import FACE, HERE, House, below_face, circles, imported_by, statements

OURS = (FACE, "benchmarks", "tests", "run")
"""Top-level modules of this project."""

SETUP = ("distribution.environment", "distribution.installation", "distribution.extras", "distribution.adding")
"""What runs before the packages are there."""

NOT_YET = frozenset((HERE / "tests/imports_that_run_up.txt").read_text(encoding="utf-8").splitlines())
"""Imports that run up, as "module imports module": each is a mistake that is known. Take out what is mended; put in
nothing."""

HOUSE = House(HERE)
MODULES = {name: file for name, file in HOUSE.files.items() if name.partition(".")[0] != FACE}
TEXT = (HERE / "docs/architecture.md").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Room:
    """A folder. shells: the modules, or "shell" for all, that may touch sockets, files, processes and clocks; all
    others are pure."""

    name: str
    shells: frozenset[str]


def rooms() -> dict[str, Room]:
    """The table of docs/architecture.md."""
    rows = re.findall(r"^\| `([a-z_0-9/]+)/` \| ([^|]*) ?\| .* \|$", TEXT.partition("## Rooms")[2], re.MULTILINE)
    found = {folder.replace("/", "."): frozenset(re.findall(r"\w+", shells)) for folder, shells in rows}
    return {name: Room(name, shells) for name, shells in found.items()}


ROOMS = rooms()


def room_of(module: str) -> Room | None:
    """The innermost room that a module is in."""
    parts = module.split(".")
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((ROOMS[name] for name in names if name in ROOMS), None)


def is_shell(module: str) -> bool:
    room = room_of(module)
    return room is not None and ("shell" in room.shells or module.rpartition(".")[2] in room.shells)


def floors() -> dict[str, int]:
    """The drawing at the head of docs/architecture.md: room -> its line, from the top."""
    found: dict[str, int] = {}
    prefix = ""
    for line, drawn in enumerate(TEXT.split("```")[1].splitlines()[1:]):
        words = drawn[:37].split()
        if drawn.startswith("crawler "):
            prefix, words = "crawler.", words[1:]
        elif not drawn.startswith(" "):
            prefix = ""
        found |= {prefix + word: line for word in words}
    return found


FLOORS = floors()


def floor_of(module: str) -> tuple[str, int]:
    """The room of the drawing that a module is in, and its line."""
    parts = module.split(".")
    name = next(name for name in (".".join(parts[:2]), parts[0]) if name in FLOORS)
    return name, FLOORS[name]


IMPURE = (
    *("aiohttp", "aiosqlite", "asyncio", "concurrent", "ctypes", "fcntl", "http", "logging", "mmap"),
    *("multiprocessing", "os", "pathlib", "requests", "select", "selectors", "shutil", "signal", "socket"),
    *("socketserver", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "time", "urllib.request"),
    *("urllib.robotparser", "urllib3", "uvloop"),
)
"""What a pure module cannot import: with these it could wait, look at a clock, or read and write."""

CLOCK_READINGS = frozenset({"now", "utcnow", "today"})  # of datetime and date
FILE_AND_TERMINAL = frozenset({"open", "print", "input"})


PACKAGES = {
    "analysis": ("numpy", "numba", "scipy"),
    "crawler.policies": ("numpy",),
    "crawler.frontier": ("numpy",),
    "crawler.features.topics.model": ("numpy", "scipy", "sklearn"),
}
"""The only packages of others that a part may import besides the standard library."""

SOLE_IMPORTERS = {
    "aiohttp": (
        *("crawler.fetching.client.*", "crawler.fetching.archiving.recording"),
        *("cli.demo.*", "web.*", "lab.structure_page"),
    ),
    "aiosqlite": ("storage.store_connections", "storage.batch_connection"),
    "sqlite3": ("storage.*", "search.store.*"),
    "selectolax": (
        "web.cached_markup",
        "crawler.parsing.blocks.text_blocks",
        "crawler.parsing.changes.regions",
        "crawler.parsing.html.page_elements",
        "crawler.parsing.html.page_parts",
        "crawler.parsing.html.headings",
        "crawler.parsing.html.shell_pages",
        "crawler.parsing.html.anchor_paths",
        "crawler.parsing.compiled.element_reader",
        "crawler.parsing.compiled.reader_check",
        "crawler.parsing.compiled.text_places",
        "crawler.parsing.extraction.tree",
        "crawler.parsing.markdown.code_blocks",
        "crawler.parsing.markdown.html_blocks",
        "crawler.parsing.markdown.page_blocks",
        "crawler.parsing.markdown.shown_text",
        "crawler.parsing.markdown.table_parts",
        "crawler.parsing.resources.page_tree",
    ),
    "tinycss2": ("crawler.parsing.resources.style_sheets",),
    "ada_url": ("crawler.urls.canonical",),
    "jinja2": ("web.rendering",),
    "anyio": ("web.assistants.server", "cli.mcp"),
    "mcp": ("web.assistants.server", "web.assistants.http_service"),
    "starlette": ("web.assistants.http_service",),
    "mcp_types": ("web.assistants.server",),
    "matplotlib": ("lab.commands.experiments.plots",),
    "cryptography": ("crawler.features.web_bot_auth.keys",),
    "python_socks": ("crawler.fetching.client.socks",),
    "numba": ("analysis.machine_code",),
    "prometheus_client": ("web.*metrics*",),
    "ray": ("crawler.cluster.ray_launcher",),
    "resiliparse": ("search.main_content",),
    "scipy": ("crawler.features.topics.model.page_rows", "library.web_graph", "lab.structure.*"),
    "sklearn": ("crawler.features.topics.model.training",),
    "tantivy": ("search.store.*",),
    "tldextract": (),  # whose list is read without it
    "playwright": ("crawler.features.rendering.browser.driver", "crawler.features.rendering.browser.page_rendering"),
    "pypdfium2": ("crawler.parsing.documents.pdf",),
    "markdown_it": ("crawler.parsing.documents.plain",),
    "pyarrow": ("storage.exports.arrow", "storage.exports.dataset", "storage.exports.parquet", "library.*"),
    "warcio": ("storage.warc.*",),
}
"""The modules of the project proper that may import a package."""


def is_part_of(module: str, parents: tuple[str, ...]) -> bool:
    return any(module == parent or module.startswith(f"{parent}.") for parent in parents)


def imports_of(module: str) -> tuple[str, ...]:
    """Every module that `module` imports, also inside functions and for types only; ours without the package."""
    tree = HOUSE.trees[module]
    assert not any(isinstance(node, ast.ImportFrom) and node.level for node in statements(tree)), (
        f"{module} imports relatively: write the whole name"
    )
    return tuple(below_face(name) for name in imported_by(tree, frozenset(HOUSE.files)))


@cache
def imports() -> dict[str, tuple[str, ...]]:
    """The imports of every module. Collecting this file, which every process of pytest-xdist does, reads none."""
    return {module: imports_of(module) for module in MODULES}


PURE = [module for module in MODULES if not is_shell(module) and is_part_of(module, ("crawler", "storage"))]


# --- the rules ----------------------------------------------------------------------------------


def test_every_module_has_its_room_and_no_room_stands_empty() -> None:
    faces = {"crawler"}  # the package, which has the version
    assert {module for module in MODULES if room_of(module) is None} <= faces
    assert set(ROOMS) == {room.name for module in MODULES if (room := room_of(module)) is not None}


def test_every_room_of_the_drawing_is_there_and_the_other_way_round() -> None:
    tops = {".".join(name.split(".")[: 2 if name.startswith("crawler.") else 1]) for name in ROOMS}
    assert set(FLOORS) == tops


def test_imports_lead_to_floors_below() -> None:
    up = set()
    for module, imported in imports().items():
        if module == "crawler":
            continue
        here, line = floor_of(module)
        for other in imported:
            if other in MODULES and other != "crawler":
                there, other_line = floor_of(other)
                if here != there and other_line <= line:
                    up.add(f"{module} imports {other}")
    assert not up - NOT_YET
    assert not NOT_YET - up, "mended: take it out of NOT_YET"


@pytest.mark.slow
def test_no_modules_import_each_other_not_even_by_way_of_others_or_when_they_are_needed() -> None:
    arrows = [(module, other) for module in MODULES for other in HOUSE.imports[module]]
    known = [(here, there) for here, there in arrows if f"{here} imports {there}" not in NOT_YET]
    assert circles(known) == []


def test_pure_modules_import_nothing_that_waits_reads_or_tells_the_time() -> None:
    impure = [f"{each} imports {name}" for each in PURE for name in imports()[each] if is_part_of(name, IMPURE)]
    assert not impure, "is it a shell?"
    shell_modules = {name for name in MODULES if is_shell(name)} - set(SETUP)
    shells = {f"{each} imports {name}" for each in PURE for name in imports()[each] if name in shell_modules}
    assert not shells - NOT_YET, "pure, and imports what is none"


@pytest.mark.slow
def test_pure_modules_call_nothing_that_reads_or_tells_the_time() -> None:
    called = []
    for module in PURE:
        for node in ast.walk(HOUSE.trees[module]):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in FILE_AND_TERMINAL:
                    called.append(f"{module}:{node.lineno} calls {name}()")
                case ast.Call(func=ast.Attribute(attr=name, value=ast.Name(id="datetime" | "date"))):
                    if name in CLOCK_READINGS:
                        called.append(f"{module}:{node.lineno} calls {name}()")
    assert not called


@pytest.mark.parametrize("part", PACKAGES)
def test_parts_use_only_the_packages_named_for_them(part: str) -> None:
    tops = {name.partition(".")[0] for name in MODULES}
    for module, imported in imports().items():
        if is_part_of(module, (part,)):
            for name in imported:
                top = name.partition(".")[0]
                known = {*sys.stdlib_module_names, *OURS, *tops, *PACKAGES[part]}
                assert top in known, f"{module} imports {name}"


@pytest.mark.slow
@pytest.mark.parametrize("package", SOLE_IMPORTERS)
def test_packages_are_imported_only_where_they_belong(package: str) -> None:
    for module, imported in imports().items():
        if any(is_part_of(name, (package,)) for name in imported):
            permitted = any(fnmatchcase(module, pattern) for pattern in SOLE_IMPORTERS[package])
            assert permitted, f"{module} imports {package}"


def test_only_the_set_up_runs_before_the_packages_are_there() -> None:
    for module in ("crawler", *SETUP):
        for imported in imports()[module]:
            is_known = imported.partition(".")[0] in sys.stdlib_module_names or is_part_of(imported, SETUP)
            assert is_known, f"{module} imports {imported}"


@pytest.mark.slow
def test_tests_import_no_benchmark_but_its_own() -> None:
    """Benchmarks may stand on what tests stand on, and go without any test noticing."""
    others = [file for file in (HERE / "tests").rglob("*.py") if HERE / "tests/benchmarks" not in file.parents]
    texts = {file: file.read_text(encoding="utf-8") for file in others}
    trees = {file: ast.parse(text) for file, text in texts.items() if "benchmarks" in text}  # parsing takes seconds
    importing = {
        file for file, tree in trees.items() for name in imported_by(tree) if name.split(".")[0] == "benchmarks"
    }
    assert not importing
