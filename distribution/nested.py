"""The step of a build that puts `crawler`, `storage` and `analysis` below `hinterland`.

In the checkout they lie at the top, and import one another by these names. In an environment with packages of others
three names as common would be in the way, so a wheel holds them as `hinterland.crawler` and so on, with the same code
but for the names in its imports. They are found by the grammar, not by how they look. What names a module in a text
(for `python -m`, for `import_module`) would be missed: a build refuses it, and says to derive it from `__package__`.

Tried and not taken: to add a folder to sys.path when the command starts (then the names are taken in the process of
whoever imports `hinterland`, and the plug-ins of both sorts of users need other imports); relative imports everywhere
(from `crawler` to `storage` there is no relative way as long as both lie at the top); a finder that renames while
importing (slower at each start, and neither debuggers nor type checkers follow).
"""

from __future__ import annotations

import ast
import io
import re
import shutil
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

HOME: Final = "hinterland"
NESTED: Final = ("crawler", "storage", "analysis")
LEFT_OUT: Final = ("crawler/environment.py",)
"""What sets up a checkout, and has nothing to do in an installation."""
_MODULE: Final = re.compile(rf"({'|'.join(NESTED)})(\.[a-z_]\w*)*\.?")


class NotToBeNested(Exception):
    """What would not work under the other name; the message says where, and how to write it instead."""


class BuildNested(build_py):
    """`build_py` as setuptools has it, and then the packages nested. An editable installation stays as the checkout."""

    def run(self) -> None:
        if self.editable_mode:
            super().run()
            return
        built = Path(self.build_lib)
        shutil.rmtree(built, ignore_errors=True)  # or a module that is gone since the last build would be in the wheel
        super().run()
        nest(built)


class NestedInfo(egg_info):
    """`egg_info` as setuptools has it, but for which names the distribution takes at the top."""

    def run(self) -> None:
        super().run()
        Path(self.egg_info, "top_level.txt").write_text(f"{HOME}\n", encoding="utf-8")


def nest(root: Path) -> None:
    """Move the packages in this folder below HOME, with their imports. Raises NotToBeNested."""
    for name in LEFT_OUT:
        (root / name).unlink()
    for name in NESTED:
        (root / name).rename(root / HOME / name)
    for file in sorted((root / HOME).rglob("*.py")):
        try:
            file.write_text(nested(file.read_text(encoding="utf-8")), encoding="utf-8")
        except NotToBeNested as error:
            raise NotToBeNested(f"{file.relative_to(root)}:{error}") from None


def nested(source: str) -> str:
    """The source of a module as it is below HOME: other names in imports, nothing else, no line moved.

    Raises NotToBeNested with the number of the line.
    """
    tree = ast.parse(source)
    _refuse_names_in_texts(tree)
    lines = source.splitlines(keepends=True)
    for line, column in sorted(_names_in_imports(tree, source), reverse=True):
        text = lines[line - 1]
        lines[line - 1] = f"{text[:column]}{HOME}.{text[column:]}"
    return "".join(lines)


def _names_in_imports(tree: ast.Module, source: str) -> Iterator[tuple[int, int]]:
    """Line, from 1, and column, from 0, of each name of NESTED that an import begins with."""
    begins = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and _is_ours(node.module or ""):
            begins.add((node.lineno, node.col_offset))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if _is_ours(alias.name):
                    if alias.asname is None:
                        raise NotToBeNested(f"{alias.lineno}: import {alias.name}: write `from ... import`, or `as`")
                    yield alias.lineno, alias.col_offset
    is_next = False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if is_next and token.type == tokenize.NAME:
            yield token.start
            is_next = False
        elif token.start in begins and token.string == "from":
            is_next = True


def _refuse_names_in_texts(tree: ast.Module) -> None:
    docs = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docs:
            continue
        text = node.value
        if isinstance(text, str) and "." in text and _MODULE.fullmatch(text):
            raise NotToBeNested(f"{node.lineno}: {text!r} names a module: derive it from __package__")


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in NESTED
