"""What takes long to find is shown as it was until there is something newer, and nobody is sent away meanwhile."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from hinterland.storage.no_store import NoStore
from hinterland.storage.store_version import StoreVersion
from hinterland.web.answer_cache import AnswerCache, AnswerPending, Tell
from hinterland.web.store_queries import StoreQueries
from tests.web.test_pages import client_of, get, shown

pytestmark = pytest.mark.slow

Question = Callable[[Any, Tell], Any]


class Told:
    """A store as the answers see it. version: its version; answers: what each look finds or raises; a look waits
    for `go`."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.version: StoreVersion | None = StoreVersion(((1, 1, 1, 1),))
        self.go = asyncio.Event()
        self.go.set()
        self.time = 100.0
        self.kept = AnswerCache(self._answering, lambda: self.version, clock=lambda: self.time, now=lambda: self.time)

    async def _answering(self, question: Callable[[Any], Any]) -> Any:
        question(None)
        await self.go.wait()
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def written(self) -> None:
        self.version = StoreVersion(((1, 1, 1, int(self.time)),))

    async def ask(self, key: str = "x", within: float = 5.0) -> tuple[Any, float, bool]:
        kept = await self.kept.ask(key, question, what="The picture", within=within)
        return kept.answer, kept.found_at, kept.is_current


def question(_: Any, tell: Tell) -> None:
    tell("reading")
    tell("counting")


async def test_an_answer_stays_the_answer_while_nobody_writes_to_the_store() -> None:
    told = Told("first")
    assert await told.ask() == ("first", 100.0, True)
    told.time += 10_000
    assert await told.ask() == ("first", 100.0, True)


async def test_after_a_write_the_answer_before_is_shown_until_the_new_one_is_there() -> None:
    told = Told("first", "second")
    await told.ask()
    told.go.clear()
    told.time += 1_000
    told.written()
    assert await told.ask() == ("first", 100.0, False)
    told.time += 120
    assert await told.ask() == ("first", 100.0, False)
    told.go.set()
    assert await told.ask() == ("second", 1_100.0, True)


async def test_who_asks_first_is_told_how_long_it_has_taken_and_what_is_being_done() -> None:
    told = Told("first")
    told.go.clear()
    with pytest.raises(AnswerPending):
        await told.ask(within=0.05)
    told.time += 35
    with pytest.raises(
        AnswerPending, match=r"The picture .* for the first time .* 35 s so far, now at step 2, counting"
    ):
        await told.ask(within=0.0)
    told.go.set()
    assert await told.ask() == ("first", 100.0, True)


async def test_a_look_that_fails_leaves_the_answer_before_in_place() -> None:
    told = Told("first", ValueError("damaged"))
    await told.ask()
    told.time += 1_000
    told.written()
    assert await told.ask() == ("first", 100.0, False)


async def test_a_first_look_that_fails_says_why_and_the_next_one_is_a_look_again() -> None:
    told = Told(ValueError("damaged"), "second")
    with pytest.raises(ValueError, match="damaged"):
        await told.ask()
    assert await told.ask() == ("second", 100.0, True)


async def test_a_store_that_is_gone_is_not_shown_as_it_was() -> None:
    told = Told("first", NoStore("it is gone"))
    await told.ask()
    told.time += 1_000
    told.written()
    with pytest.raises(NoStore):
        await told.ask()


async def test_a_store_that_is_written_to_all_the_time_is_looked_at_after_rests() -> None:
    told = Told("first", "second")

    async def takes_long(question: Callable[[Any], Any]) -> Any:
        told.time += 10
        return told.answers.pop(0)

    kept = AnswerCache(takes_long, lambda: told.version, clock=lambda: told.time, now=lambda: told.time)

    async def ask() -> tuple[Any, bool]:
        found = await kept.ask("x", question, what="The picture", within=5.0)
        return found.answer, found.is_current

    assert await ask() == ("first", True)
    told.time += 49
    told.written()
    assert await ask() == ("first", False)
    told.time += 2
    assert await ask() == ("second", True)


async def test_no_number_of_other_questions_pushes_a_kept_answer_out(crawled_store: Path) -> None:
    queries = StoreQueries(crawled_store)
    looks = 0

    def look(*_: Any) -> int:
        nonlocal looks
        looks += 1
        return looks

    try:
        await queries.kept.ask("long", look, what="It", within=10.0)
        for key in range(600):
            await queries.ask_seldom(("other", key), lambda store: 0)
        kept = await queries.kept.ask("long", look, what="It", within=10.0)
    finally:
        await queries.close()
    assert (kept.answer, kept.is_current) == (1, True)


@pytest.mark.parametrize("path", ["/structure", "/hosts/links", "/ranks", "/broken-links"])
async def test_what_was_shown_once_is_shown_again_after_a_write_and_says_of_when_it_is(
    path: str, crawled_store: Path, tmp_path: Path
) -> None:
    store = Path(shutil.copy(crawled_store, tmp_path / "store.db"))
    async with client_of(store) as client:
        for _ in range(100):
            async with client.get(path) as answer:
                if answer.status == 200:
                    break
            await asyncio.sleep(0.2)
        with closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("UPDATE host SET failures = failures + 1")
        text = shown(await get(client, path))
    assert "The store may have changed since" in text


def test_it_can_be_closed_while_it_works() -> None:
    async def scenario() -> None:
        told = Told("first")
        told.go.clear()
        with suppress(AnswerPending):
            await told.ask(within=0.0)
        await told.kept.close()

    asyncio.run(scenario())
