"""The house in figures: rooms, arrows between them, and what weighs.

    python -m tests.support.house [TREE ...]             # this tree, beside other checkouts
    python -m tests.support.house --plain FOLDER         # a copy for tools that follow no links

A room at the top is a folder beside `run.py`; a room in `crawler/` is a folder or a file there. An arrow is drawn where
a module of one room imports one of another. See docs/architecture.md for what each room is.
"""

from __future__ import annotations

import argparse
import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parents[2]
FACE: Final = "hinterland"
NO_ROOMS: Final = ("tests", "benchmarks", "docs", "build", "dist")
MANY_POSITIONS: Final = 7

Arrows = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class House:
    """A checkout, by what its files say. Modules have their names below the package `hinterland`, such as
    "crawler.loop.crawl"; of the package itself only the files count that are no links, as "hinterland.policies"."""

    root: Path

    @cached_property
    def files(self) -> Mapping[str, Path]:
        """Module -> file."""
        folders = [each.parent for each in sorted(self.root.glob("*/__init__.py"))]
        found: dict[str, Path] = {}
        for folder in folders:
            if folder.name in NO_ROOMS:
                continue
            files = folder.glob("*.py") if folder.name == FACE else folder.rglob("*.py")
            found |= {_name(file.relative_to(self.root)): file for file in sorted(files)}
        return found

    @cached_property
    def trees(self) -> Mapping[str, ast.Module]:
        return {module: ast.parse(file.read_text(encoding="utf-8")) for module, file in self.files.items()}

    @cached_property
    def imports(self) -> Mapping[str, frozenset[str]]:
        """Module -> the modules of the house that it imports, also inside functions and for types only."""
        known = frozenset(self.files)
        return {module: frozenset(ours(imported_by(tree, known), known)) for module, tree in self.trees.items()}

    def arrows(self, depth: int, below: str = "") -> Arrows:
        """(from, to): rooms `depth` names deep, of the modules whose names begin with `below`. A package's face, such
        as `crawler` with its version, is no room."""
        found = set()
        for module, imported in self.imports.items():
            for other in imported:
                pair = room(module, depth), room(other, depth)
                if pair[0] != pair[1] and all(each.startswith(below) and each + "." != below for each in pair):
                    found.add(pair)
        return frozenset(found)

    @property
    def lines(self) -> int:
        return sum(len(file.read_text("utf-8").splitlines()) for file in self.files.values())

    @property
    def wiring(self) -> tuple[int, str]:
        """The most modules of the house that one of them imports, and which that is."""
        return max((len(imported), module) for module, imported in self.imports.items())

    @property
    def blind_calls(self) -> list[str]:
        """Calls with MANY_POSITIONS positional arguments or more, as module:line."""
        return [
            f"{module}:{node.lineno}"
            for module, tree in self.trees.items()
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and not any(isinstance(each, ast.Starred) for each in node.args)
            and len(node.args) >= MANY_POSITIONS
        ]


def room(module: str, depth: int) -> str:
    return ".".join(module.split(".")[:depth])


def imported_by(tree: ast.Module, known: frozenset[str] = frozenset()) -> Iterator[str]:
    """The modules that a module imports. known: tells a module that is imported by name from what is in a module."""
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if below_face(full) in known else node.module


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Every statement, also inside others. Expressions, which are nine nodes of ten, are not looked at."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for field in ("cases", "finalbody", "orelse", "handlers", "body"):
            waiting.extend(reversed(getattr(node, field, ())))


def below_face(module: str) -> str:
    """The name of a module below the package `hinterland`."""
    return module.removeprefix(f"{FACE}.")


def ours(imported: Iterable[str], known: frozenset[str]) -> Iterator[str]:
    for module in imported:
        if (name := below_face(module)) in known:
            yield name
        elif module in known:
            yield module


def circles(arrows: Iterable[tuple[str, str]]) -> list[str]:
    """One circle of rooms or modules, if there is any."""
    uses: dict[str, set[str]] = {}
    for here, there in arrows:
        uses.setdefault(here, set()).add(there)
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _name(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def figures(house: House) -> dict[str, str]:
    """Return the figures of a tree, in words."""
    top, inside = house.arrows(1), house.arrows(2, "crawler.")
    project = tomllib.loads((house.root / "pyproject.toml").read_text("utf-8"))["project"]
    settings = re.findall(r"^#? ?[a-z_]+ = ", (house.root / "settings.toml").read_text("utf-8"), re.MULTILINE)
    widest, where = house.wiring
    return {
        "rooms at the top": str(len({room(module, 1) for module in house.files})),
        "arrows between them": str(len(top)),
        "a circle among them": " > ".join(circles(top)) or "none",
        "rooms in crawler/": str(len({room(m, 2) for m in house.files if m.startswith("crawler.")})),
        "arrows between those": str(len(inside)),
        "a circle among those": " > ".join(circles(inside)) or "none",
        "a circle of modules": " > ".join(circles((a, b) for a, each in house.imports.items() for b in each)) or "none",
        "imports of the largest wiring module": f"{widest} ({where})",
        "product lines": f"{house.lines:,}",
        "files": str(len(house.files)),
        "settings": str(len(settings)),
        "hard dependencies": str(len(project["dependencies"])),
        f"calls of {MANY_POSITIONS} positions or more": str(len(house.blind_calls)),
    }


def write_plain(house: House, folder: Path) -> None:
    """Copy the modules to a folder, importing one another by the names of the folders at the top: tools that draw or
    search imports from the files alone do not know that `hinterland.crawler` is the folder `crawler`."""
    tops = "|".join(sorted({room(module, 1) for module in house.files} - {FACE}))
    prefix = re.compile(rf"^(\s*(?:from|import) ){FACE}\.(?=(?:{tops})\b)", re.MULTILINE)
    for file in house.files.values():
        copy = folder / file.relative_to(house.root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(prefix.sub(r"\1", file.read_text("utf-8")), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="*", type=Path, metavar="TREE", help="another checkout to count")
    parser.add_argument("--plain", type=Path, metavar="FOLDER", help="write that copy of this tree, and count nothing")
    arguments = parser.parse_args()
    if arguments.plain is not None:
        write_plain(House(HERE), arguments.plain)
        return
    for tree in (*arguments.trees, HERE):
        print(tree)
        for name, value in figures(House(tree)).items():
            print(f"  {name:40} {value}")


if __name__ == "__main__":
    main()
