"""Servers that answer 200 for pages that they do not have, found out by a page that nobody has."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.loop.clock import SteadyClock
from tests.crawler.loop.test_revisits import crawled, looks, recrawled
from tests.support.changing_web import TEXT, Documents, home
from tests.support.crawling import outcomes, states
from tests.support.web import Answer, Exchange, LoopbackWeb
from tests.support.web_behaviours import drop

SORRY = "<title>Walks</title><main><p>Sorry, there is nothing at {} any more. Have a look at our front page.</p></main>"


class Polite(Documents):
    """Says of anything that it does not have, with status 200, that it is sorry."""

    is_silent = False

    async def __call__(self, exchange: Exchange) -> None:
        path = exchange.request.path
        if self.is_silent and path.endswith(".html"):
            await drop(exchange)
            return
        if self.pages.get(path, path) is None or (path not in self.pages and path.endswith(".html")):
            await Answer(SORRY.format(path).encode())(exchange)
        else:
            await super().__call__(exchange)


def probes(web: LoopbackWeb) -> int:
    """A client may ask once more where a connection was dropped."""
    return len({request.path for request in web.requests() if request.path.endswith(".html")})


@pytest.mark.slow
async def test_a_page_that_says_what_its_server_says_of_any_is_gone_and_can_be_taken_back(tmp_path: Path) -> None:
    soon: dict[str, Any] = {"gone_after_looks": 2, "gone_after_days": 0.0, "soft_404": "changed"}
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        pages = Polite(web, home=home("a", "b", "c"), **{name: TEXT.format(name, "") for name in "abc"})
        await crawled(web, store)
        pages["a"] = pages["b"] = None
        pages["c"] = "<title>Walks</title><main><p>Now it tells of boats, lakes, oars and islands.</p></main>"
        assert looks(await recrawled(web, store, revisits=soon)) == {"same": 1, "missed": 2, "changed": 1}
        assert probes(web) == 1
        assert states(store)[f"{web.url('a.test')}a"] == "fetched"
        assert looks(await recrawled(web, store, revisits=soon)) == {"same": 2, "gone": 2}
        assert probes(web) == 0
        assert outcomes(store)[f"{web.url('a.test')}a"] == "soft_404"
        assert looks(await recrawled(web, store, revisits={"soft_404": "never"})) == {"same": 2, "back": 2}
    assert set(outcomes(store).values()) == {"fetched"}


async def test_no_server_is_asked_for_a_sibling_that_its_robots_txt_forbids(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        Polite(web, home=home("a", "b"), b=TEXT.format("b", ""))["a"] = None
        web.robots("a.test", "User-agent: *\nDisallow: /*.html")
        await crawled(web, tmp_path / "s.db", revisits={"soft_404": "all"})
        assert not [request for request in web.requests() if request.path.endswith(".html")]
    assert set(outcomes(tmp_path / "s.db").values()) == {"fetched"}


@pytest.mark.slow
@pytest.mark.parametrize("is_silent", [False, True])
async def test_a_directory_is_probed_once_a_month_however_many_pages_change_and_whatever_it_answers(
    tmp_path: Path, is_silent: bool
) -> None:
    store, names, probed = tmp_path / "s.db", [f"p{number}" for number in range(6)], []
    async with LoopbackWeb() as web:
        pages = Polite(web, home=home(*names), **{name: TEXT.format(name, "") for name in names})
        pages.is_silent = is_silent
        now = time.time()
        await crawled(web, store, clock=SteadyClock(begins=now))
        for days in (1, 2, 30, 32, 60):
            words = f"boat{days}x lake{days}x oar{days}x isle{days}x reed{days}x duck{days}x"
            for name in names:
                pages[name] = f"<title>Walks</title><main><p>{words} {name}</p></main>"
            clock = SteadyClock(begins=now + days * 86_400)
            done = await recrawled(web, store, revisits={"soft_404": "changed"}, clock=clock)
            assert looks(done)["changed"] == len(names)
            probed.append(probes(web))
    assert probed == [1, 0, 0, 1, 0]
