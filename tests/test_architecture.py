"""The layout is the architecture: docs/architecture.md says what each room holds and which rooms it uses, and the
imports themselves keep to it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from benchmarks.floor_plan import House

ROOT = Path(__file__).parents[1]
OURS = ("crawler", "storage", "analysis", "hinterland", "benchmarks", "tests", "run")
"""Top-level modules of this project."""

APPS = "crawler.apps"
SETUP = ("crawler", "crawler.environment", "crawler.installation")
"""The package's face, the set-up, and what depends on how it was installed: beside the rooms and the face to others the
only modules."""

FACE = "hinterland"
"""What others build upon: it hands on from the rooms, and none of them uses it."""


@dataclass(frozen=True, slots=True)
class Room:
    """A folder. is_shell: it may touch sockets, files, processes and clocks; all others are pure."""

    name: str
    is_shell: bool
    uses: frozenset[str]


def rooms() -> dict[str, Room]:
    """The table of docs/architecture.md: name, "shell" or nothing, concept, rooms used."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").partition("## Rooms")[2]
    rows = re.findall(r"^\| `([a-z_/]+)/` \| (shell )?\| .* \| ([^|]*)\|$", text, re.MULTILINE)
    found = {}
    for folder, shell, used in rows:
        name = folder.replace("/", ".")
        found[name] = Room(name, bool(shell), frozenset(_full(each) for each in used.split()))
    return found


def _full(folder: str) -> str:
    name = folder.strip("`,").strip("/").replace("/", ".")
    return name if name.partition(".")[0] in ("storage", "analysis") else f"crawler.{name}"


ROOMS = rooms()


def room_of(module: str) -> Room | None:
    """The innermost room that a module is in; None for those of SETUP."""
    parts = module.split(".")
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((ROOMS[name] for name in names if name in ROOMS), None)


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
    "crawler.topics": ("numpy", "scipy", "sklearn"),
}
"""The only packages of others that a part may import besides the standard library."""

SOLE_IMPORTERS = {
    "aiohttp": (
        *("crawler.fetching.client.*", "crawler.fetching.archiving.recording"),
        *("crawler.apps.demo.*", "crawler.apps.serving.*"),
    ),
    "aiosqlite": ("storage.link_store", "storage.batch_connection"),
    "sqlite3": ("storage.*",),
    "selectolax": (
        "crawler.apps.serving.cached_markup",
        "crawler.parsing.changes.regions",
        "crawler.parsing.html.page_elements",
        "crawler.parsing.html.shell_pages",
        "crawler.parsing.html.anchor_paths",
        "crawler.parsing.compiled.element_reader",
        "crawler.parsing.extraction.tree",
    ),
    "ada_url": ("crawler.urls.canonical",),
    "jinja2": ("crawler.apps.serving.rendering",),
    "matplotlib": ("crawler.apps.cli.experiments.plots",),
    "numba": ("analysis.machine_code",),
    "prometheus_client": ("crawler.apps.serving.*metrics*",),
    "pebble": ("crawler.apps.search.index.extraction",),
    "ray": ("crawler.apps.cluster.ray_places",),
    "resiliparse": ("crawler.apps.search.main_content",),
    "scipy": ("crawler.topics.page_rows", "crawler.apps.library.web_graph", "analysis.structure.*"),
    "sklearn": ("crawler.topics.training",),
    "tantivy": ("storage.search_index.*",),
    "tldextract": (),  # whose list is read without it
    "playwright": ("crawler.rendering.browser.driver", "crawler.rendering.browser.showing"),
    "pypdfium2": ("crawler.parsing.documents.pdf",),
    "markdown_it": ("crawler.parsing.documents.plain",),
    "pyarrow": ("storage.exports.arrow", "storage.exports.parquet", "crawler.apps.library.*"),
    "warcio": ("storage.warc.*",),
}
"""The modules of the project proper that may import a package."""


# --- reading the imports ------------------------------------------------------------------------


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {
    name_of(file): file
    for part in ("run.py", "hinterland/*.py", "crawler/**/*.py", "storage/**/*.py", "analysis/**/*.py")
    for file in sorted(ROOT.glob(part))
}


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(FILES[module].read_text(encoding="utf-8"))


@cache
def imports_of(module: str) -> tuple[str, ...]:
    """Every module that `module` imports, also inside functions and for types only."""
    return tuple(_imports(tree_of(module), module))


def _imports(tree: ast.Module, module: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively: write the whole name"
            assert node.module is not None
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in FILES else node.module


def is_part_of(module: str, parents: tuple[str, ...]) -> bool:
    return any(module == parent or module.startswith(f"{parent}.") for parent in parents)


def is_shell(module: str) -> bool:
    room = room_of(module)
    return room is not None and room.is_shell


PURE = [module for module in FILES if (room := room_of(module)) is not None and not room.is_shell]
PURE = [module for module in PURE if is_part_of(module, ("crawler", "storage"))]


# --- the rules ----------------------------------------------------------------------------------


def test_every_module_of_the_crawler_has_its_room() -> None:
    homeless = {module for module in FILES if room_of(module) is None}
    assert {module for module in homeless if not is_part_of(module, (FACE,))} == {*SETUP, "run", APPS}


def test_no_room_stands_empty() -> None:
    assert set(ROOMS) <= {room.name for module in FILES if (room := room_of(module)) is not None}


def test_imports_keep_to_the_rooms_that_a_room_uses() -> None:
    strays = []
    for module in FILES:
        if (room := room_of(module)) is None:
            continue
        for imported in imports_of(module):
            if is_part_of(imported, OURS) and imported not in SETUP:
                other = room_of(imported)
                assert other is not None, f"{module} imports {imported}, which is in no room"
                if other is not room and other.name not in room.uses:
                    strays.append(f"{module} imports {imported}")
    assert not strays


def test_no_room_uses_another_for_nothing() -> None:
    for room in ROOMS.values():
        modules = [module for module in FILES if room_of(module) is room]
        used = {other.name for module in modules for name in imports_of(module) if (other := room_of(name))}
        assert room.uses <= used, f"{room.name} does not use {sorted(room.uses - used)}"


def test_no_two_rooms_use_each_other_not_even_by_way_of_others() -> None:
    TopologicalSorter({room.name: room.uses for room in ROOMS.values()}).prepare()


def test_no_two_folders_import_each_other_not_even_by_way_of_others_or_when_they_are_needed() -> None:
    assert House(ROOT).circles == []


def floors() -> dict[str, int]:
    """The drawing at the head of docs/architecture.md: folder -> its line, from the top."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    prefixes = {"apps": "crawler.apps.", "core": "crawler.", "base": ""}
    found, prefix = {}, ""
    for line, drawn in enumerate(text.split("```")[1].splitlines()):
        part = re.match(r"(apps|core|base) ▼", drawn)
        prefix = prefixes[part[1]] if part else prefix
        for folder in re.findall(r"\S+", drawn[9:].partition("   ")[0]) if prefix or part else ():
            found[prefix + folder.replace("/", ".")] = line
    return found


def test_each_floor_of_the_drawing_uses_only_floors_below_it() -> None:
    line_of = floors()

    def drawn(room: str) -> str:
        return max((folder for folder in line_of if is_part_of(room, (folder,))), key=len, default="")

    folders = {room: drawn(room) for room in ROOMS}
    assert all(folders.values()), "not drawn: " + ", ".join(room for room in folders if not folders[room])
    assert set(folders.values()) == set(line_of), "drawn, but no room"
    for room in ROOMS.values():
        here = folders[room.name]
        for there in {folders[used] for used in room.uses} - {here}:
            assert line_of[here] < line_of[there], f"{here} uses {there}, which is not drawn below it"


def test_the_core_knows_nothing_of_what_people_use_of_it() -> None:
    for room in ROOMS.values():
        if not room.name.startswith(APPS):
            assert not any(used.startswith(APPS) for used in room.uses), room.name


def test_pure_modules_import_nothing_that_waits_reads_or_tells_the_time() -> None:
    imports = [(module, imported) for module in PURE for imported in imports_of(module)]
    impure = [f"{module} imports {imported}" for module, imported in imports if is_part_of(imported, IMPURE)]
    assert not impure, "is its room a shell?"
    assert not [f"{module} is pure and imports {imported}" for module, imported in imports if is_shell(imported)]


def test_pure_modules_call_nothing_that_reads_or_tells_the_time() -> None:
    called = []
    for module in PURE:
        for node in ast.walk(tree_of(module)):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in FILE_AND_TERMINAL:
                    called.append(f"{module}:{node.lineno} calls {name}()")
                case ast.Call(func=ast.Attribute(attr=name, value=ast.Name(id="datetime" | "date"))):
                    if name in CLOCK_READINGS:
                        called.append(f"{module}:{node.lineno} calls {name}()")
    assert not called


@pytest.mark.parametrize("part", PACKAGES)
def test_parts_use_only_the_packages_named_for_them(part: str) -> None:
    for module in FILES:
        if is_part_of(module, (part,)):
            for imported in imports_of(module):
                top = imported.partition(".")[0]
                known = {*sys.stdlib_module_names, *OURS, *PACKAGES[part]}
                assert top in known, f"{module} imports {imported}"


@pytest.mark.parametrize("package", SOLE_IMPORTERS)
def test_packages_are_imported_only_where_they_belong(package: str) -> None:
    for module in FILES:
        if any(is_part_of(imported, (package,)) for imported in imports_of(module)):
            permitted = any(fnmatchcase(module, pattern) for pattern in SOLE_IMPORTERS[package])
            assert permitted, f"{module} imports {package}"


def test_only_the_set_up_runs_before_the_packages_are_there() -> None:
    for module in SETUP:
        for imported in imports_of(module):
            assert imported.partition(".")[0] in sys.stdlib_module_names, f"{module} imports {imported}"
