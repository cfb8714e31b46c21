"""The layout is the architecture: which file may import what, read from the imports themselves.

run.py ──► crawler ──► storage               storage and analysis import nothing of ours.
   │          ├──► crawler.policies ──► analysis      Policies see no URL, clock or SQL.
   │          └──► simulation ────────► analysis      Everything else in crawler is pure,
   └──► storage, analysis                             but for the shell named here.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("crawler", "storage", "analysis", "benchmarks", "tests", "run")
"""Top-level modules of this project."""

SHELL = {
    "crawler.fetching.fetcher": "requests",
    "crawler.fetching.wire": "the reading side of a connection",
    "crawler.fetching.connections": "which connections are kept",
    "crawler.fetching.failure_text": "what the errors of aiohttp and of the system say",
    "crawler.fetching.recording": "a connection that keeps what went over it",
    "crawler.fetching.name_resolution": "look-ups of names",
    "crawler.engine": "workers, waiting, stopping",
    "crawler.record_writer": "hands what was found to the store",
    "crawler.parsing.parsers": "the pool of parser processes",
    "crawler.parsing.worker": "a parser process",
    "crawler.parsing.element_reader": "loads the part in C",
    "crawler.parsing.reader_building": "compiles the part in C",
    "crawler.parsing.reader_check": "checks the part in C",
    "crawler.assembly": "puts a crawl together and runs it",
    "crawler.restoring": "reads a store back",
    "crawler.archives.recorder": "writes WARC files in a thread",
    "crawler.archives.recording_fetcher": "archives what is fetched",
    "crawler.archives.opening": "reads archives",
    "crawler.archives.importing": "takes archives into a store",
    "crawler.hinterland.rounds": "estimates and chooses in another thread",
    "crawler.search.extraction": "a pool of processes that read pages",
    "crawler.search.corpus": "reads documents out of a store",
    "crawler.search.building": "writes the index",
    "crawler.search.index_folder": "the files of an index",
    "crawler.search.finding_index": "looks for the index of a store",
    "crawler.search.searcher": "asks the index",
    "crawler.clock": "the time",
    "crawler.cli": "the commands",
    "crawler.cli.commands": "which command was meant",
    "crawler.cli.*_command": "what each command does",
    "crawler.cli.crawl_run": "one crawl from begin to end",
    "crawler.cli.interruption": "Ctrl-C in a crawl",
    "crawler.cli.ctrl_c": "Ctrl-C in commands that compute",
    "crawler.cli.public_hosts": "looks names up",
    "crawler.cli.*_sources": "read settings and robots.txt from where they are",
    "crawler.cli.output": "writes to streams",
    "crawler.cli.plain_lines": "writes lines",
    "crawler.cli.json_lines": "writes lines with the time",
    "crawler.cli.live_display": "draws on the terminal",
    "crawler.cli.index_progress": "writes a line that changes",
    "crawler.cli.plots": "draws into files",
    "crawler.demo.*": "serves and crawls the demo",
    "crawler.serving.api": "answers requests for JSON",
    "crawler.serving.application": "answers requests",
    "crawler.serving.*_page": "answers requests for pages",
    "crawler.serving.*_pages": "answers requests for pages",
    "crawler.serving.page_view": "answers requests for pages",
    "crawler.serving.live": "server-sent events",
    "crawler.serving.metrics": "answers requests for metrics",
    "crawler.serving.rendering": "reads templates",
    "crawler.serving.searches": "opens a search index",
    "crawler.serving.server": "listens",
    "crawler.serving.site": "what all these share",
    "crawler.serving.store_desk": "asks a store in threads",
    "crawler.environment": "sets up .venv",
    "crawler.settings.__main__": "prints the settings file",
}
"""Modules of the crawler that may touch sockets, files, processes and clocks. All others are pure."""

IMPURE = (
    *("aiohttp", "aiosqlite", "asyncio", "concurrent", "ctypes", "fcntl", "http", "logging", "mmap"),
    *("multiprocessing", "os", "pathlib", "requests", "select", "selectors", "shutil", "signal", "socket"),
    *("socketserver", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "time", "urllib.request"),
    *("urllib.robotparser", "urllib3", "uvloop"),
)
"""What a pure module cannot import: with these it could wait, look at a clock, or read and write."""

STORED_VALUES = (
    *("storage.records", "storage.report_records", "storage.document_records", "storage.term_query"),
    *("storage.browsing_records", "storage.spellings", "storage.zstd_text"),
)
"""Of the storage, pure modules may import these: plain values."""

CLOCK_READINGS = frozenset({"now", "utcnow", "today"})  # of datetime and date
FILE_AND_TERMINAL = frozenset({"open", "print", "input"})


@dataclass(frozen=True, slots=True)
class Direction:
    """What the modules that match a pattern may import of this project."""

    importer: str
    may_import: tuple[str, ...]


DIRECTIONS = (
    Direction("storage", ("storage",)),
    Direction("analysis", ("analysis",)),
    Direction("crawler.policies", ("crawler.policies", "analysis")),
    Direction("crawler.experiments.simulation", ("crawler", "analysis")),
    Direction("crawler", ("crawler", "storage", "analysis")),
)
"""The first that matches counts. run.py, the tests and the benchmarks may import everything."""

PACKAGES = {"analysis": ("numpy", "numba"), "crawler.policies": ("numpy",)}
"""The only packages of others that a part may import besides the standard library."""

SOLE_IMPORTERS = {
    "aiohttp": (
        *("crawler.fetching.fetcher", "crawler.fetching.wire", "crawler.fetching.recording", "crawler.demo.*"),
        *("crawler.fetching.connections", "crawler.fetching.failure_text", "crawler.serving.*"),
    ),
    "aiosqlite": ("storage.link_store", "storage.batch_connection"),
    "sqlite3": ("storage.*",),
    "selectolax": ("crawler.parsing.page_elements", "crawler.parsing.element_reader"),
    "ada_url": ("crawler.urls",),
    "jinja2": ("crawler.serving.rendering",),
    "matplotlib": ("crawler.cli.plots",),
    "numba": ("analysis.compiled",),
    "prometheus_client": ("crawler.serving.metrics_text",),
    "pebble": ("crawler.search.extraction",),
    "resiliparse": ("crawler.search.main_content",),
    "tantivy": ("storage.search_index.*",),
    "tldextract": ("crawler.urls",),
    "pyarrow": ("storage.exports.parquet",),
    "warcio": ("storage.warc.*",),
}
"""The modules of the project proper that may import a package."""


# --- reading the imports ------------------------------------------------------------------------


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {
    name_of(file): file
    for part in ("run.py", "crawler/**/*.py", "storage/**/*.py", "analysis/**/*.py")
    for file in sorted(ROOT.glob(part))
}


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(FILES[module].read_text(encoding="utf-8"))


def imports_of(module: str) -> Iterator[str]:
    """Every module that `module` imports, also inside functions and for types only."""
    for node in ast.walk(tree_of(module)):
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
    return any(fnmatchcase(module, pattern) for pattern in SHELL)


PURE = [module for module in FILES if is_part_of(module, ("crawler",)) and not is_shell(module)]


# --- the rules ----------------------------------------------------------------------------------


@pytest.mark.parametrize("module", FILES)
def test_imports_keep_their_direction(module: str) -> None:
    direction = next((rule for rule in DIRECTIONS if is_part_of(module, (rule.importer,))), None)
    if direction is None:
        return
    for imported in imports_of(module):
        if is_part_of(imported, OURS):
            assert is_part_of(imported, direction.may_import), f"{module} imports {imported}"


@pytest.mark.parametrize("module", PURE)
def test_pure_modules_import_nothing_that_waits_reads_or_tells_the_time(module: str) -> None:
    for imported in imports_of(module):
        assert not is_part_of(imported, IMPURE), f"{module} imports {imported}: pure, or of the SHELL?"
        assert not is_shell(imported), f"{module} is pure and imports {imported}, which is not"
        if is_part_of(imported, ("storage",)):
            assert imported in STORED_VALUES, f"{module} is pure and imports {imported}"


@pytest.mark.parametrize("module", PURE)
def test_pure_modules_call_nothing_that_reads_or_tells_the_time(module: str) -> None:
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name):
                    assert name not in FILE_AND_TERMINAL, f"{module}:{node.lineno} calls {name}()"
                case ast.Attribute(attr=name, value=ast.Name(id="datetime" | "date")):
                    assert name not in CLOCK_READINGS, f"{module}:{node.lineno} calls {name}()"


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
    for module in ("crawler", "crawler.environment"):
        for imported in imports_of(module):
            assert imported.partition(".")[0] in sys.stdlib_module_names, f"{module} imports {imported}"
