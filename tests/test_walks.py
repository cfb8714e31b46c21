"""The walks of docs/architecture.md: what they name is there, and the walk of a crawl is what it does."""

from __future__ import annotations

import ast
import asyncio
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.crawling import wait_until
from tests.support.hinterland import overrides
from tests.support.web import Answer, Exchange, Handler, LoopbackWeb

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
MOST_STEPS, MOST_ENTRIES = 33, 2

Stop = tuple[str, str]


def walks() -> dict[str, list[Stop]]:
    """Title -> (file, function) of each line."""
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    part = text.partition("## Four walks")[2].partition("\n## ")[0]
    blocks = re.findall(r"^\*\*([^*]+)\*\*\n\n```text\n([^`]*)```", part, re.MULTILINE)
    return {title: [(line.split()[0], line.split()[1]) for line in block.splitlines()] for title, block in blocks}


WALKS = walks()
FIRST = "From a seed to the row of a link"


def functions_of(file: str) -> set[str]:
    """Functions and methods, as Class.method; those inside others are not named."""
    return {"<module>", *_named(ast.parse((ROOT / file).read_text("utf-8")), "")}


def _named(node: ast.AST, prefix: str) -> Iterator[str]:
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + each.name
        elif isinstance(each, ast.ClassDef):
            yield from _named(each, f"{prefix}{each.name}.")


def test_there_are_four_walks() -> None:
    assert len(WALKS) == 4


@pytest.mark.parametrize("title", WALKS)
def test_every_function_on_a_walk_is_where_the_walk_says(title: str) -> None:
    for file, function in WALKS[title]:
        assert function in functions_of(file), f"{file} has no {function}"


@pytest.mark.parametrize("title", WALKS)
def test_every_line_of_a_walk_leads_into_another_file(title: str) -> None:
    files = [file for file, _ in WALKS[title]]
    assert all(here != there for here, there in pairwise(files))


def test_the_longest_walk_is_short_and_does_not_come_back_to_the_loop_again_and_again() -> None:
    is_loop = [file == "crawler/loop/crawl.py" for file, _ in WALKS[FIRST]]
    entries = sum(not here and there for here, there in pairwise(is_loop))
    assert len(is_loop) - 1 <= MOST_STEPS
    assert entries <= MOST_ENTRIES


def once_stored(store: Path) -> Handler:
    """Answer when the first page is in the store: at the end of a crawl, rows are written by another way."""

    async def answer(exchange: Exchange) -> None:
        await wait_until(lambda: has_fetched(store), pause=0.02)
        await Answer(b"<p>last")(exchange)

    return answer


def has_fetched(store: Path) -> bool:
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as connection:
        return bool(connection.execute("SELECT count(*) FROM fetch").fetchone()[0])


async def test_a_crawl_takes_the_walk_that_is_told_of_it(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/1"])
        web.answer("a.test", "/1", once_stored(tmp_path / "s.db"))
        command = ["-m", "tests.support.walk", "crawl", seed, "--store", str(tmp_path / "s.db"), "--max-pages", "2"]
        command += [part for each in overrides(web) for part in ("--set", each)]
        walking = await asyncio.create_subprocess_exec(
            sys.executable, *command, cwd=ROOT, stdout=asyncio.subprocess.PIPE
        )
        said = (await walking.communicate())[0].decode()
    stays = [line.split()[1:] for line in said.splitlines() if line.startswith("walked ")]
    assert [stay[0] for stay in stays] == [file for file, _ in WALKS[FIRST]]
    for (file, function), (_, *functions) in zip(WALKS[FIRST], stays, strict=True):
        assert function in functions, f"{file}: not {function}, but {functions}"
