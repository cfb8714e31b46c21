"""A page budget holds for all runs of a crawl, and its removal is reported."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from hinterland.cli.budget_options import page_budget
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.settings import load_settings
from hinterland.library.crawls.crawl_run import crawl
from hinterland.library.crawls.interruption import Interruption
from hinterland.library.crawls.page_budget import NO_BUDGET, kept_budget, last_budget
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.seeds import GivenSeed
from hinterland.storage.values.runs import RunReport, RunState
from tests.support.crawling import fetched
from tests.support.hinterland import Memory, overrides
from tests.support.web import Exchange, LoopbackWeb, Page

PAGES = 9


class Chain:
    """Pages each of which links to the next. Ctrl-C is pressed while the one named `stop_at` is asked for."""

    def __init__(self, web: LoopbackWeb, store: Path) -> None:
        self.web = web
        self.store = store
        self.seed = web.url("a.test", "/0")
        self.stop_at = -1
        self.display = Memory()
        for number in range(PAGES):
            web.answer("a.test", f"/{number}", self.page(number))

    def page(self, number: int) -> Any:
        async def answer(exchange: Exchange) -> None:
            if number == self.stop_at:
                self.interruption.press()
            links = [f"/{number + 1}"] if number + 1 < PAGES else []
            await Page(f"Page {number}", links, 200, {})(exchange)

        return answer

    async def crawl(self, max_pages: int | None = None, *, stop_at: int = -1, resume: bool = True) -> EndReason:
        self.stop_at, self.display = stop_at, Memory()
        self.interruption = Interruption(self.display)
        settings = load_settings(None, "settings.toml", {}, overrides(self.web), {})
        command = ["crawl", *(["--resume"] if resume else [self.seed])]
        seeds = [] if resume else [GivenSeed(self.seed, "")]
        plan = CrawlPlan(settings, seeds, str(self.store), command, max_pages, resume)
        return (await crawl(plan, self.display, self.interruption)).reason

    def budget_notes(self) -> list[str]:
        return [note for note in self.display.notes if note.startswith("the page budget")]


@pytest.mark.slow
async def test_a_crawl_that_was_stopped_goes_on_within_its_page_budget(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        chain = Chain(web, tmp_path / "s.db")
        assert await chain.crawl(6, stop_at=1, resume=False) is EndReason.STOPPED
        for stop_at in (3, 4):
            assert await chain.crawl(stop_at=stop_at) is EndReason.STOPPED
            assert chain.budget_notes() == [
                "the page budget of 6 is kept; --max-pages N sets another, --max-pages none removes it"
            ]
        assert await chain.crawl() is EndReason.MAX_PAGES
        assert len(fetched(chain.store)) == 6


@pytest.mark.slow
async def test_a_crawl_goes_on_without_a_page_budget_once_it_is_used_up_and_says_so(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        chain = Chain(web, tmp_path / "s.db")
        assert await chain.crawl(3, resume=False) is EndReason.MAX_PAGES
        assert await chain.crawl(stop_at=5) is EndReason.STOPPED
        assert chain.budget_notes() == ["the page budget of 3 is used up, so this run has none; --max-pages N sets one"]
        assert await chain.crawl() is EndReason.EXHAUSTED
        assert chain.budget_notes() == []
        assert len(fetched(chain.store)) == PAGES


@pytest.mark.slow
@pytest.mark.parametrize("given, pages", [(NO_BUDGET, PAGES), (4, 4), (7, 7)])
async def test_a_page_budget_can_be_lifted_or_changed(given: int, pages: int, tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        chain = Chain(web, tmp_path / "s.db")
        await chain.crawl(5, stop_at=1, resume=False)
        await chain.crawl(given)
        assert chain.budget_notes() == []
        assert len(fetched(chain.store)) == pages


def run(*command: str, **progress: Any) -> RunReport:
    return RunReport(1, RunState.KILLED, 0.0, 0.0, None, command, progress)


@pytest.mark.parametrize(
    "runs, budget",
    [
        ([], None),
        ([run("crawl", "http://a.test/")], None),
        ([run("crawl", "--max-pages", "1,000")], 1000),
        ([run("crawl", "--max-pages=1_000")], 1000),
        ([run("crawl", "--resume", visits=3, max_pages=400), run("crawl", "--max-pages", "9")], 400),
        ([run("crawl", "--resume", visits=3, max_pages=None), run("crawl", "--max-pages", "9")], None),
        ([run("crawl", "--resume"), run("crawl", "--max-pages", "9", visits=0, max_pages=9)], 9),
        ([run("crawl", "--resume", "--max-pages", "none"), run("crawl", "--max-pages", "9")], None),
        ([run("crawl", "--max-pages", "-1"), run("crawl", "--max-pages", "9")], 9),
    ],
)
def test_the_budget_of_the_last_run_is_what_it_was_given_or_had_kept(runs: list[RunReport], budget: int | None) -> None:
    assert last_budget(runs) == budget


def test_a_budget_is_kept_until_the_store_has_as_many_pages() -> None:
    assert kept_budget(10, 9)[0] == 10
    assert kept_budget(10, 10)[0] is None
    assert kept_budget(10, 12)[0] is None


def test_a_budget_is_a_number_of_pages_or_none() -> None:
    assert [page_budget(text) for text in ("1", "1,000", "none", " None")] == [1, 1000, NO_BUDGET, NO_BUDGET]
    with pytest.raises(argparse.ArgumentTypeError, match="must be at least 1, or none"):
        page_budget("0")
    with pytest.raises(ValueError, match="ten"):
        page_budget("ten")
