"""The packages of the checkout below `hinterland`, as a build puts them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from distribution.nested import HOME, NESTED, NotToBeNested, nest, nested


@pytest.mark.parametrize(
    "source, expected",
    [
        ("from crawler.a import b\n", "from hinterland.crawler.a import b\n"),
        ("from storage import b, c\n", "from hinterland.storage import b, c\n"),
        ("def f():\n    from analysis import b\n", "def f():\n    from hinterland.analysis import b\n"),
        ("from \\\n  crawler.a import (\n    b,\n)\n", "from \\\n  hinterland.crawler.a import (\n    b,\n)\n"),
        ("import os, crawler.a as b\n", "import os, hinterland.crawler.a as b\n"),
        ("if x: from crawler import b; y = 1\n", "if x: from hinterland.crawler import b; y = 1\n"),
        ("from crawlers import b\n", "from crawlers import b\n"),
        ("from hinterland.policies import b\n", "from hinterland.policies import b\n"),
        ("from . import crawler\n", "from . import crawler\n"),
        ('"""from crawler import b"""\n# from crawler import b\n',) * 2,
        ("def f():\n    yield from crawler\n    raise X from storage\n",) * 2,
        ('x = "from crawler import b", "analysis of a.b", f"{a}.crawler"\n',) * 2,
    ],
)
def test_names_in_imports_change_and_nothing_else(source: str, expected: str) -> None:
    assert nested(source) == expected


@pytest.mark.parametrize(
    "source, complaint",
    [
        ("a = 1\nimport crawler.a\n", "2: import crawler.a: write `from ... import`, or `as`"),
        ("\n\nrun('crawler.a.b')\n", "3: 'crawler.a.b' names a module: derive it from __package__"),
        ('find(f"storage.{name}")\n', "1: 'storage.' names a module"),
    ],
)
def test_what_would_be_missed_is_refused_with_its_line(source: str, complaint: str) -> None:
    with pytest.raises(NotToBeNested) as caught:
        nested(source)
    assert str(caught.value).startswith(complaint)


def test_a_refusal_names_the_file(tmp_path: Path) -> None:
    for name in (*NESTED, HOME):
        (tmp_path / name).mkdir()
    (tmp_path / "crawler" / "environment.py").write_text("import crawler\n")
    (tmp_path / "storage" / "a.py").write_text("import crawler\n")
    with pytest.raises(NotToBeNested, match=r"^hinterland/storage/a.py:1: import crawler: "):
        nest(tmp_path)


def test_the_whole_project_can_be_nested_and_no_import_of_the_old_names_is_left() -> None:
    root = Path(__file__).parents[2]
    files = [file for name in (*NESTED, HOME) for file in sorted((root / name).rglob("*.py"))]
    assert len(files) > 300
    for file in files:
        if file.name == "environment.py":
            continue
        for node in ast.walk(ast.parse(nested(file.read_text(encoding="utf-8")))):
            if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0):
                first = node.names[0].name if isinstance(node, ast.Import) else node.module or ""
                assert first.partition(".")[0] not in NESTED, f"{file}:{node.lineno}"
