"""The house in figures: rooms, arrows between them, and the largest of what is in them. Needs no network.

    python -m benchmarks.floor_plan [TREE ...]           # this tree, beside older checkouts

A room is a folder of modules, or a module that lies loose in crawler/; a folder within a folder is one room with it
where they import each other. An arrow is drawn where a module of one room
imports one of another. See docs/architecture.md for what each room is.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from pathlib import Path
from statistics import median
from typing import Final

HERE: Final = Path(__file__).resolve().parents[1]
_PARTS: Final = ("crawler", "storage", "analysis")
_MOST_TO_ORDER: Final = 7
_CLI: Final = ("crawler.cli", "crawler.apps.cli")
_SELECTS: Final = re.compile(r"\bSELECT\b")


@dataclass(frozen=True)
class House:
    """A checkout, by what its files say."""

    root: Path

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        """The modules of the project proper."""
        files = [file for part in _PARTS for file in sorted((self.root / part).rglob("*.py"))]
        return {_name(file.relative_to(self.root)): ast.parse(file.read_text(encoding="utf-8")) for file in files}

    @cached_property
    def lengths(self) -> dict[str, int]:
        """Lines of each module."""
        files = [file for part in _PARTS for file in (self.root / part).rglob("*.py")]
        return {_name(file.relative_to(self.root)): len(file.read_text("utf-8").splitlines()) for file in files}

    @cached_property
    def packages(self) -> frozenset[str]:
        return frozenset(
            _name(file.relative_to(self.root)) for part in _PARTS for file in (self.root / part).rglob("__init__.py")
        )

    def room(self, module: str) -> str:
        """The folder that a module is in, or itself if it lies loose."""
        folder = _folder(module, self.packages)
        while self._are_one(folder, parent := folder.rpartition(".")[0]):
            folder = parent
        return folder

    def _are_one(self, folder: str, parent: str) -> bool:
        return {(folder, parent), (parent, folder)} <= self._between_folders

    @cached_property
    def _between_folders(self) -> frozenset[tuple[str, str]]:
        return frozenset(
            (_folder(module, self.packages), _folder(imported, self.packages))
            for module, tree in self.trees.items()
            for imported in _imports(tree, self.trees)
        )

    @cached_property
    def arrows(self) -> frozenset[tuple[str, str]]:
        """(from, to), rooms; not to the package's face, which has the version."""
        pairs = {(self.room(here), self.room(there)) for here, there in self._between_folders}
        return frozenset(pair for pair in pairs if pair[0] != pair[1] and pair[1] != "crawler")

    @property
    def mutual(self) -> int:
        return sum((there, here) in self.arrows for here, there in self.arrows) // 2

    @cached_property
    def circles(self) -> list[frozenset[str]]:
        """Rooms that lead back to themselves, largest sets."""
        reached = {room: _reached(room, self.arrows) for room in {here for here, _ in self.arrows}}
        sets = {
            frozenset({room, *(other for other in reached[room] if room in reached.get(other, ()))}) for room in reached
        }
        return [each for each in sets if len(each) > 1]

    @property
    def upward(self) -> int:
        """The fewest arrows that run back up however the rooms of a circle are ordered."""
        return sum(map(self._least_upward, self.circles))

    def _least_upward(self, circle: frozenset[str]) -> int:
        inside = [(here, there) for here, there in self.arrows if here in circle and there in circle]
        if len(circle) > _MOST_TO_ORDER:
            return len(inside) - len(circle) + 1
        return min(
            sum(order.index(here) > order.index(there) for here, there in inside) for order in permutations(circle)
        )

    def classes(self) -> Iterator[tuple[str, ast.ClassDef]]:
        for module, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    yield module, node

    @property
    def largest_constructor(self) -> tuple[int, str]:
        """Parameters but for self, outside value classes."""
        found = [
            (_parameters(method), f"{module}.{node.name}")
            for module, node in self.classes()
            for method in node.body
            if isinstance(method, ast.FunctionDef) and method.name == "__init__"
        ]
        return max(found)

    @property
    def functions(self) -> list[tuple[int, str]]:
        """(lines of the body without docstring, name) of each."""
        return [
            (_body_lines(node), f"{module}.{node.name}")
            for module, tree in self.trees.items()
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]

    @property
    def store_readers(self) -> list[str]:
        """Classes that ask a store in SQL."""
        return sorted(
            node.name
            for module, node in self.classes()
            if module.startswith("storage")
            and any(
                isinstance(part, ast.Constant) and isinstance(part.value, str) and _SELECTS.search(part.value)
                for part in ast.walk(node)
            )
        )


def _name(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _folder(module: str, packages: frozenset[str]) -> str:
    is_loose = module.count(".") == 1 and module.startswith("crawler.")
    return module if is_loose or module in packages else module.rpartition(".")[0]


def _imports(tree: ast.Module, known: Iterable[str]) -> Iterator[str]:
    names = set(known)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in names or node.module in names:
                    yield full if full in names else node.module


def _reached(start: str, arrows: Iterable[tuple[str, str]]) -> set[str]:
    ways: dict[str, list[str]] = {}
    for here, there in arrows:
        ways.setdefault(here, []).append(there)
    reached, waiting = set[str](), [start]
    while waiting:
        for room in ways.get(waiting.pop(), ()):
            if room not in reached:
                reached.add(room)
                waiting.append(room)
    return reached


def _parameters(function: ast.FunctionDef) -> int:
    arguments = function.args
    return len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs) - 1


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    end = function.end_lineno or function.lineno
    return end - body[0].lineno + 1 if body else 0


def figures(house: House) -> dict[str, str]:
    """What is told of a tree, in words."""
    entries = {module.split(".")[1] for module in house.trees if module.startswith("crawler.")}
    constructor, function = house.largest_constructor, max(house.functions)
    readers = house.store_readers
    return {
        "entries in crawler/": str(len(entries)),
        "rooms": str(len({house.room(module) for module in house.trees})),
        "arrows between rooms": str(len(house.arrows)),
        "pairs of rooms that import each other": str(house.mutual),
        "arrows that run up": str(house.upward),
        "largest constructor, parameters": "{} ({})".format(*constructor),
        "largest function, lines": "{} ({})".format(*function),
        "functions of more than 60 lines": str(sum(lines > 60 for lines, _ in house.functions)),
        "files": str(len(house.lengths)),
        "median file, lines": f"{median(house.lengths.values()):g}",
        "files of the command line": str(sum(module.startswith(_CLI) for module in house.trees)),
        "classes that read the store": f"{len(readers)} ({', '.join(readers)})",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="*", type=Path, metavar="TREE", help="another checkout to count")
    for tree in (*parser.parse_args().trees, HERE):
        print(tree)
        for name, value in figures(House(tree)).items():
            print(f"  {name:40} {value}")


if __name__ == "__main__":
    main()
