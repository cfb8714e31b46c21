"""Whose fault a failure is: the page's, its host's, or that of the network here."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.parsing.messages import PageDigest, RawPage
from tests.support.crawling import InlineParsers, crawl, fetched, rows, states, wait_until
from tests.support.web import Answer, Exchange, Handler, LoopbackWeb
from tests.support.web_behaviours import OK_PAGE, first_times, raw, status, throttled


async def test_an_outage_of_a_host_uses_up_none_of_its_pages(tmp_path: Path) -> None:
    down_for = 12  # requests; each page may fail three times

    async with LoopbackWeb() as web:
        paths = [f"/{n}" for n in range(20)]
        seed = web.page("a.test", "/", links=paths)
        asked = 0

        def sometimes_down(handler: Handler) -> Handler:
            async def answer(exchange: Exchange) -> None:
                nonlocal asked
                asked += 1
                await (status(503) if 4 < asked <= 4 + down_for else handler)(exchange)

            return answer

        for path in ["/", *paths]:
            web.page("a.test", path, links=paths)
            web.answer("a.test", path, sometimes_down(web.handler("a.test", path)))
        patient = {"give_up_after_failures": 100}
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db", politeness=patient)
    assert len(fetched(crawled.store)) == 21
    assert crawled.reason.label == "exhausted"
    assert crawled.statistics.probes > 0
    *others, most = sorted(web.fetches()["a.test", path] for path in ["/", *paths])
    assert max(others) <= 2 < most, "the host was asked for one page that it had answered, again and again"


@pytest.mark.slow
async def test_a_host_with_some_broken_pages_is_not_given_up(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        bad, good = [f"/bad{n}" for n in range(10)], [f"/good{n}" for n in range(30)]
        seed = web.page("a.test", "/", links=[*bad, *good])
        for path in bad:
            web.answer("a.test", path, status(502))
        for path in good:
            web.page("a.test", path)
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    assert crawled.reason.label == "exhausted"
    assert crawled.statistics.outcomes == {"fetched": 31, "unavailable": 10}
    assert {crawled.state(web.url("a.test", path)) for path in bad} == {"failed"}
    assert {web.fetches()["a.test", path] for path in bad} == {3}


async def test_one_page_that_asks_for_a_day_of_rest_does_not_silence_its_host(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/busy", "/1", "/2"])
        busy = web.answer("a.test", "/busy", throttled(503, "86400"))
        web.page("a.test", "/1")
        web.page("a.test", "/2")
        politeness = {"page_retry_after_seconds": 0.05}
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db", politeness=politeness)
    assert crawled.statistics.outcomes == {"fetched": 3}
    assert crawled.state(busy) == "waiting"
    assert crawled.reason.label == "retries-left", "nobody waits an hour for one page"
    [(seconds,)] = rows(crawled.store, "SELECT retry_at - started_at FROM fetch WHERE outcome = 'throttled'")
    assert 3500 < seconds <= 3601


async def test_a_resumed_crawl_retries_what_was_left_to_be_retried(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/busy"])
        busy = web.answer("a.test", "/busy", first_times(1, throttled(503, "86400"), OK_PAGE))
        politeness = {"page_retry_after_seconds": 0.05}
        first = await crawl(web.addresses, [seed], tmp_path / "store.db", politeness=politeness)
        politeness = {"max_retry_after_seconds": 0.01}
        second = await crawl(web.addresses, [], tmp_path / "store.db", politeness=politeness)
    assert first.reason.label == "retries-left"
    assert (second.reason.label, second.state(busy)) == ("exhausted", "fetched")


@pytest.mark.slow
async def test_a_setting_that_was_forgotten_holds_hosts_back_and_settles_no_page(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=[f"/{n}" for n in range(30)])
        for n in range(30):
            web.page("a.test", f"/{n}")
        first = await crawl(web.addresses, [seed], tmp_path / "store.db", max_pages=5)
        second = await crawl(web.addresses, [], tmp_path / "store.db", fetching={"allow_networks": ()})
        assert second.reason.label == "hosts-given-up"
        assert set(states(second.store).values()) == {"fetched", "waiting"}
        [(error,)] = rows(second.store, "SELECT last_error FROM host")
        assert error.startswith("forbidden_address: ")
        third = await crawl(web.addresses, [], tmp_path / "store.db")
    assert first.reason.label == "max-pages"
    assert len(fetched(third.store)) == 31


# --- the network here ---------------------------------------------------------------------------


@pytest.mark.slow
async def test_when_no_host_answers_any_more_the_crawl_pauses_and_then_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with LoopbackWeb() as web:
        hosts = [f"h{number}.test" for number in range(6)]
        is_down = False

        def while_up(handler: Handler) -> Handler:
            async def answer(exchange: Exchange) -> None:
                if is_down:
                    exchange.reset()
                else:
                    await handler(exchange)

            return answer

        for host in hosts:
            web.page(host, "/", links=[f"/{n}" for n in range(8)])
            web.answer(host, "/robots.txt", while_up(status(404)))
            for path in ["/", *(f"/{n}" for n in range(8))]:
                if path != "/":
                    web.page(host, path)
                web.answer(host, path, while_up(web.handler(host, path)))

        async def outage(crawl: Crawl) -> None:
            nonlocal is_down
            await wait_until(lambda: crawl.statistics().pages_fetched >= 12)
            is_down = True
            await wait_until(lambda: crawl.statistics().network_down_seconds is not None)
            seen = len(web.log)
            await wait_until(lambda: len(web.log) >= seen + 30)  # as many probes as would give all hosts up
            is_down = False

        seeds, impatient = [web.url(host) for host in hosts], {"give_up_after_failures": 4}
        crawled = await crawl(web.addresses, seeds, tmp_path / "store.db", politeness=impatient, watch=outage)
    assert crawled.reason.label == "exhausted"
    assert len(fetched(crawled.store)) == 6 * 9
    assert crawled.statistics.network_down_seconds is None
    assert "this machine's network seems to be down" in caplog.text
    assert "the network is back" in caplog.text


@pytest.mark.slow
async def test_a_page_that_came_before_an_outage_and_is_read_in_it_does_not_end_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_noticed, parse, url = asyncio.Event(), InlineParsers.parse, ""

    async def parse_late(parsers: InlineParsers, raw: RawPage) -> PageDigest:
        if raw.url == url:
            await is_noticed.wait()
        return await parse(parsers, raw)

    monkeypatch.setattr(InlineParsers, "parse", parse_late)
    async with LoopbackWeb() as web:
        hosts, is_down = [f"h{number}.test" for number in range(6)], False

        def while_up(handler: Handler) -> Handler:
            async def answer(exchange: Exchange) -> None:
                if is_down:
                    exchange.reset()
                else:
                    await handler(exchange)

            return answer

        for host in hosts:
            web.page(host, "/", links=[f"/{n}" for n in range(8)])
            web.answer(host, "/robots.txt", while_up(status(404)))
            for path in ["/", *(f"/{n}" for n in range(8))]:
                page = OK_PAGE if path != "/" else web.handler(host, path)
                web.answer(host, path, while_up(page))
        # A large page keeps its host until it is read, as one does that is rendered.
        url = web.answer("large.test", "/", Answer(b"<title>large</title>" + b"<p>text</p>" * 4_000))

        async def outage(crawl: Crawl) -> None:
            nonlocal is_down
            await wait_until(lambda: crawl.statistics().pages_fetched >= 12)
            is_down = True
            await wait_until(lambda: crawl.statistics().network_down_seconds is not None)
            before = crawl.statistics().pages_fetched
            is_noticed.set()
            await wait_until(lambda: crawl.statistics().pages_fetched > before)
            assert "the network is back" not in caplog.text
            is_down = False

        seeds, impatient = [web.url(host) for host in hosts] + [url], {"give_up_after_failures": 4}
        crawled = await crawl(web.addresses, seeds, tmp_path / "store.db", politeness=impatient, watch=outage)
    assert crawled.reason.label == "exhausted"
    assert len(fetched(crawled.store)) == 6 * 9 + 1


async def test_a_network_that_stays_down_ends_the_crawl_and_everything_waits(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        hosts = [f"h{number}.test" for number in range(4)]
        seeds = [web.page(host, "/", links=["/1", "/2"]) for host in hosts]
        for host in hosts:
            for path in ("/1", "/2"):
                web.answer(host, path, raw(b""))
            web.answer(host, "/robots.txt", first_times(1, status(404), raw(b"")))
        # It ends before a host is asked again.
        impatient = {"network_patience_seconds": 0.2, "backoff_seconds": 20.0, "max_backoff_seconds": 20.0}
        crawled = await crawl(web.addresses, seeds, tmp_path / "store.db", politeness=impatient)
    assert crawled.reason.label == "network-down"
    assert sorted(states(crawled.store).values()) == ["fetched"] * 4 + ["waiting"] * 8
    blamed = rows(crawled.store, "SELECT url, failures, last_error FROM host WHERE is_given_up OR failures")
    assert blamed == [], "a host was blamed for the network, and a resumed crawl would wait for it"


async def test_hosts_that_are_down_are_distinguished_from_a_network_that_is(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        good, bad = [f"good{n}.test" for n in range(3)], [f"bad{n}.test" for n in range(3)]
        for host in good:
            web.page(host, "/")
        for host in bad:
            web.page(host, "/", links=["/1", "/2"])
            for path in ("/", "/1", "/2", "/robots.txt"):
                once = web.handler(host, path) if path == "/" else status(404)
                web.answer(host, path, first_times(path in ("/", "/robots.txt"), once, raw(b"")))
        seeds = [web.url(host) for host in good + bad]
        crawled = await crawl(web.addresses, seeds, tmp_path / "store.db")
    assert crawled.reason.label == "hosts-given-up"
    assert crawled.statistics.outcomes == {"fetched": 6}
    assert {crawled.state(web.url(host, path)) for host in bad for path in ("/1", "/2")} == {"waiting"}
    asked = [request.path for request in web.log if request.host in good]
    assert asked.count("/") == 3
    assert 3 < asked.count("/robots.txt") <= 60, "hosts with nothing left to fetch were asked whether they still answer"


@pytest.mark.slow
async def test_two_hosts_with_a_page_each_that_never_answers_do_not_keep_a_crawl_from_its_end(tmp_path: Path) -> None:
    async def silent(exchange: Exchange) -> None:
        await exchange.wait_for_client_to_leave()

    async with LoopbackWeb() as web:
        seeds = [web.page(host, "/", links=["/silent"]) for host in ("a.test", "b.test")]
        for host in ("a.test", "b.test"):
            web.answer(host, "/silent", silent)
        quick = {"first_byte_timeout_seconds": 0.2}
        crawled = await asyncio.wait_for(crawl(web.addresses, seeds, tmp_path / "s.db", fetching=quick), 60)
    assert crawled.reason.label == "exhausted"
    assert crawled.state(web.url("a.test", "/silent")) == "failed"
    assert max(web.fetches()[host, "/silent"] for host in ("a.test", "b.test")) <= 8
