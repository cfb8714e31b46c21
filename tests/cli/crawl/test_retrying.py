"""Pages that were settled can be tried again, and what a forgotten setting would do is not done."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.library.crawls.retrying import meant_by
from hinterland.library.errors import HinterlandError
from tests.support.browsing import CHROMIUM
from tests.support.crawling import quick_retries, rows, states
from tests.support.hinterland import Memory, crawled
from tests.support.web import Answer, LoopbackWeb
from tests.support.web_behaviours import first_times, status

pytestmark = pytest.mark.slow


def web_with_settled_pages(web: LoopbackWeb) -> str:
    """A page each that is gone at first, forbidden at first, and too large for a bound of 1,024 bytes."""
    web.answer("a.test", "/robots.txt", first_times(1, web_robots("/secret"), web_robots("/nothing")))
    web.page("a.test", "/gone")
    web.answer("a.test", "/gone", first_times(1, status(404), web.handler("a.test", "/gone")))
    web.page("a.test", "/secret")
    web.page("a.test", "/large", html="<p>" + "word " * 2000)
    return web.page("a.test", "/", links=["/gone", "/secret", "/large"])


def web_robots(disallowed: str) -> Answer:
    return Answer(f"User-agent: *\nDisallow: {disallowed}\n".encode(), 200, "text/plain")


async def test_what_failed_and_what_was_refused_can_be_tried_again(tmp_path: Path) -> None:
    store, display = tmp_path / "s.db", Memory()
    async with LoopbackWeb() as web:
        seed = web_with_settled_pages(web)
        first = await crawled(web, store, seed)
        assert first.reason is EndReason.EXHAUSTED
        assert sorted(states(store).values()) == ["failed", "fetched", "fetched", "refused"]
        await crawled(web, store, resume=True)
        assert sorted(states(store).values()) == ["failed", "fetched", "fetched", "refused"], "not unasked"
        await crawled(web, store, resume=True, retry=["client_error,refused"], display=display)
    assert set(states(store).values()) == {"fetched"}
    assert "to be retried: 1 client_error, 1 robots" in display.notes


async def test_what_a_setting_has_settled_is_named_once_it_is_another_one_and_can_be_tried_again(
    tmp_path: Path,
) -> None:
    store, display = tmp_path / "s.db", Memory()
    async with LoopbackWeb() as web:
        seed = web_with_settled_pages(web)
        await crawled(web, store, seed, settings=("fetching.max_body_bytes=1024",))
        large = web.url("a.test", "/large")
        assert states(store)[large] == "failed"
        await crawled(web, store, resume=True, display=display)
        assert states(store)[large] == "failed"
        await crawled(web, store, resume=True, retry=["changed"])
    said = "not retried, although settings have changed since: 1 too_large (fetching.max_body_bytes)"
    assert any(note.startswith(said) for note in display.notes)
    assert states(store)[large] == "fetched"
    assert states(store)[web.url("a.test", "/gone")] == "failed", "no setting has to do with that"


async def test_what_is_tried_again_is_not_said_to_be_left(tmp_path: Path) -> None:
    store, display = tmp_path / "s.db", Memory()
    async with LoopbackWeb() as web:
        seed = web_with_settled_pages(web)
        await crawled(web, store, seed, settings=("fetching.max_body_bytes=1024",))
        await crawled(web, store, resume=True, retry=["too_large"], display=display)
    assert "to be retried: 1 too_large" in display.notes
    assert not any("although settings have changed" in note for note in display.notes)


SHELL = b"<title>App</title><div id=app></div><script src=/app.js></script>"


NEEDS_CHROMIUM = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


@pytest.mark.parametrize("word", ["shell", pytest.param("changed", marks=NEEDS_CHROMIUM)])
async def test_a_page_that_was_read_without_the_browser_it_needs_can_be_read_again(tmp_path: Path, word: str) -> None:
    store, display = tmp_path / "s.db", Memory()
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/app"])
        web.page("a.test", "/app", links=["/further"], title="Drawn")
        web.page("a.test", "/further")
        drawn, shell = web.handler("a.test", "/app"), Answer(SHELL + b"<a href=/old>old</a>", 200, "text/html")
        web.answer("a.test", "/app", first_times(1, shell, drawn))
        web.page("a.test", "/old")
        await crawled(web, store, seed)
        assert rows(store, "SELECT url, rendering FROM renderings") == [(web.url("a.test", "/app"), "shell")]
        settings = () if word == "shell" else ("rendering.pages=auto",)
        await crawled(web, store, resume=True, retry=[word], settings=settings, display=display)
    assert "to be retried: 1 shell" in display.notes
    assert rows(store, "SELECT title FROM pages WHERE url LIKE '%/app'") == [("Drawn",)]
    links = "SELECT target FROM links WHERE source LIKE '%/app'"
    assert rows(store, links) == [(web.url("a.test", "/further"),)], "not those it had without its scripts"
    assert set(states(store).values()) == {"fetched"}
    assert rows(store, "SELECT sum(pages) FROM page_count WHERE state = 'fetched'") == [(4,)]


async def test_a_page_tried_again_has_as_many_tries_as_at_first(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/broken"])
        web.answer("a.test", "/broken", status(500))
        await crawled(web, store, seed, retry_rules=quick_retries(0.001))
        assert web.fetches()["a.test", "/broken"] == 3
        await crawled(web, store, resume=True, retry=["server_error"], retry_rules=quick_retries(0.001))
        assert web.fetches()["a.test", "/broken"] == 6
    assert rows(store, "SELECT state, attempt FROM page JOIN fetch ON page = id WHERE outcome = 'server_error'") == [
        ("failed", 6)
    ]


async def test_a_crawl_that_goes_on_keeps_the_networks_it_was_allowed(tmp_path: Path) -> None:
    store, display = tmp_path / "s.db", Memory()
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/1", "/2"])
        web.page("a.test", "/1")
        web.page("a.test", "/2")
        await crawled(web, store, seed, max_pages=1)
        await crawled(web, store, resume=True, forgets=("fetching.allow_networks",), display=display)
    assert set(states(store).values()) == {"fetched"}
    assert display.warnings == []


async def test_retry_without_resume_is_refused(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        with pytest.raises(HinterlandError, match="--retry retries pages of a store, so it needs --resume"):
            await crawled(web, tmp_path / "s.db", web.page("a.test", "/"), retry=["failed"])


@pytest.mark.parametrize("word, near", [("fail", "failed"), ("to_large", "too_large"), ("fetched", "")])
def test_an_unknown_outcome_is_refused_with_the_nearest(word: str, near: str) -> None:
    with pytest.raises(HinterlandError, match=f'the nearest is "{near}'):
        meant_by([word])


def test_words_mean_outcomes() -> None:
    assert meant_by(["refused"]) == (frozenset({OutcomeKind.ROBOTS, OutcomeKind.FORBIDDEN_ADDRESS}), False)
    both = frozenset({OutcomeKind.OTHER_TYPE, OutcomeKind.TOO_LARGE})
    assert meant_by(["other_type, too_large", "changed"]) == (both, True)
    assert OutcomeKind.FETCHED not in meant_by(["failed"])[0]
