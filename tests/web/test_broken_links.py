"""The report of links that lead nowhere tells the whole truth about a web of known faults."""

from __future__ import annotations

import csv
import io
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvloop
from aiohttp import ClientPayloadError
from selectolax.lexbor import LexborHTMLParser

from hinterland.library.patient_reading import TookTooLong
from hinterland.library.text.csv_text import csv_text
from hinterland.web import broken_links_page
from hinterland.web.store_queries import StoreQueries
from tests.support.crawling import crawl, rows
from tests.support.in_process import complaint, said
from tests.support.web import Answer, LoopbackWeb
from tests.support.web_behaviours import status
from tests.web.test_pages import client_of, get, shown

PAGES = 40
FINE = {"/file": Answer(b"%PDF-1.4", content_type="application/pdf")}
FAULTS = {"/gone": status(404), "/away": status(410), "/ill": status(500), "/void": Answer(b"", 304)}
MOVED = {"/old": "/gone", "/older": "/old", "/new": "/file", "/a": "/b", "/b": "/a", "/into": "/a", "/self": "/self"}
BROKEN = {
    **{path: (path, None) for path in (*FAULTS, "/self", "/a", "/b")},
    "/old": ("/gone", "/old"),
    "/older": ("/gone", "/older"),
    "/into": ("/a", "/into"),
}
"""Path -> the broken one that a link to it leads to, and the redirect by way of which."""
UNKNOWN = "/private/x"
DOWN = "down.test"

Row = tuple[str, str, str, str]
"""Broken, linking page, anchor, via."""


@dataclass(frozen=True)
class FaultyWeb:
    """A store, and the rows that its report should have."""

    store: Path
    truth: set[Row]
    base: str


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> FaultyWeb:
    store = tmp_path_factory.mktemp("broken") / "faulty.db"
    return FaultyWeb(store, *uvloop.run(crawl_faulty(store)))


async def crawl_faulty(store: Path) -> tuple[set[Row], str]:
    dice, truth = random.Random(7), set()
    async with LoopbackWeb() as web:
        for path, handler in (FAULTS | FINE).items():
            web.answer("b.test", path, handler)
        for path, target in MOVED.items():
            web.redirect("b.test", path, ("b.test", target))
        web.robots("b.test", "User-agent: *\nDisallow: /private\n")
        down = web.url(DOWN, "/")
        targets = [*BROKEN, "/new", "/file", UNKNOWN]
        for number in range(PAGES):
            host = "a.test" if number % 2 else "b.test"
            here = web.url(host, f"/{number}")
            chosen = dice.sample(targets, dice.randrange(5))
            anchors = [(web.url("b.test", path), path) for path in chosen]
            for path, (end, via) in ((path, BROKEN[path]) for path in chosen if path in BROKEN):
                truth.add((web.url("b.test", end), here, path, web.url("b.test", via) if via else ""))
            if dice.random() < 0.3:
                anchors.append((down, "=down"))
                truth.add((down, here, "'=down", ""))
            later = [each for each in (2 * number + 1, 2 * number + 2) if each < PAGES]
            anchors += [(web.url("a.test" if each % 2 else "b.test", f"/{each}"), "on") for each in later]
            links = "".join(f'<a href="{url}">{words}</a> ' for url, words in anchors)
            web.page(host, f"/{number}", html=f"<title>{number}</title>{links}")
        addresses = {**web.addresses, DOWN: "127.0.0.9"}
        seeds = [web.url("b.test", "/0"), web.url("a.test", "/1"), down]
        await crawl(addresses, seeds, store, fetching={"addresses": addresses})
        return truth, web.url("b.test", "")


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def as_truth(told: list[dict[str, str]]) -> set[Row]:
    return {(row["broken"], row["linking_page"], row["anchor"], row["via"]) for row in told}


async def test_every_broken_link_is_listed_and_no_other(faulty: FaultyWeb) -> None:
    async with client_of(faulty.store) as client:
        told = rows_of(await get(client, "/broken-links.csv"))
    assert len(told) == len(as_truth(told))
    assert as_truth(told) == faulty.truth
    assert len(faulty.truth) > PAGES
    reasons = {row["broken"].rpartition("/")[2]: (row["outcome"], row["status"]) for row in told}
    assert reasons["gone"] == ("client_error", "404")
    assert reasons["a"] == ("redirect_loop", "")
    assert reasons["self"] == ("bad_redirect", "301")


async def test_the_command_tells_the_same(faulty: FaultyWeb, capsys: pytest.CaptureFixture[str]) -> None:
    told = rows_of(said(capsys, "links", "--broken", "--csv", "--store", faulty.store))
    assert as_truth(told) == faulty.truth
    lines = said(capsys, "links", "--broken", "--json", "--store", faulty.store).splitlines()
    pages = [json.loads(line) for line in lines]
    assert sum(len(page["links"]) for page in pages) == len(faulty.truth)
    counts = [page["linking_pages"] for page in pages]
    assert counts == sorted(counts, reverse=True)
    text = said(capsys, "links", "--broken", "--limit", "1", "--store", faulty.store)
    assert "client error 404: 1 page" in text
    assert f"... and {len(pages) - 1} more pages; --csv lists them all" in text
    assert "leave out the URLs" in complaint(capsys, "links", "--broken", "http://a.test/", "--store", faulty.store)
    assert "name pages by URL or number" in complaint(capsys, "links", "--store", faulty.store)


async def test_a_host_may_ask_for_the_links_to_it_and_those_on_it(faulty: FaultyWeb) -> None:
    async with client_of(faulty.store) as client:
        numbers = {}
        for name in ("a.test", "b.test", DOWN):
            answer = await client.get("/api/hosts?all=1", params={"host": name})
            numbers[name] = (await answer.json())["hosts"][0]["number"]
        told = rows_of(await get(client, f"/broken-links.csv?from={numbers['a.test']}"))
        assert as_truth(told) == {row for row in faulty.truth if "//a.test" in row[1]}
        told = rows_of(await get(client, f"/broken-links.csv?to={numbers[DOWN]}"))
        assert as_truth(told) == {row for row in faulty.truth if DOWN in row[0]}
        told = rows_of(await get(client, "/broken-links.csv?outcome=client_error&status=404"))
        assert as_truth(told) == {row for row in faulty.truth if row[0].endswith("/gone")}
        html = await get(client, f"/broken-links?from={numbers['a.test']}&outcome=redirect_loop")
        reasons = LexborHTMLParser(await get(client, f"/broken-links?to={numbers[DOWN]}")).css(".figures tbody tr")
    links = sum(int(row.css("td")[1].text()) for row in reasons)
    assert links == sum(DOWN in row[0] for row in faulty.truth), "the reasons are counted for that host alone"
    assert "Links on pages of" in shown(html)
    assert ", via" in shown(html)


async def test_the_page_shows_the_links_that_matter_most_first(faulty: FaultyWeb) -> None:
    async with client_of(faulty.store) as client:
        page = LexborHTMLParser(await get(client, "/broken-links"))
    counts = [sum(row[0] == node.text().strip() for row in faulty.truth) for node in page.css(".broken h2")]
    assert len(counts) == len({row[0] for row in faulty.truth})
    pages = [len({row[1] for row in faulty.truth if row[0] == node.text().strip()}) for node in page.css(".broken h2")]
    assert pages == sorted(pages, reverse=True)
    assert page.css_first('a[href^="/broken-links.csv"]') is not None


async def test_lists_of_the_api_go_through_all_there_is(faulty: FaultyWeb) -> None:
    async with client_of(faulty.store) as client:

        async def all_of(path: str, name: str) -> list[dict[str, object]]:
            found: list[dict[str, object]] = []
            after = ""
            while True:
                answer = await client.get(path + (f"&after={after}" if after else ""))
                value = await answer.json()
                found += value[name]
                if value["next_after"] is None:
                    return found
                after = value["next_after"]

        def store(sql: str) -> int:
            return int(rows(faulty.store, sql)[0][0])

        assert len(await all_of("/api/pages?limit=7", "pages")) == store("SELECT count(*) FROM page")
        moved = await all_of("/api/pages?outcome=redirected&limit=7", "pages")
        assert len(moved) == store("SELECT count(*) FROM fetch WHERE outcome = 'redirected'") == len(MOVED) - 1
        assert len(await all_of("/api/links?limit=7", "links")) == store("SELECT count(*) FROM link")
        errors = await all_of("/api/errors?limit=7", "failures")
        assert len(errors) == store("SELECT sum(pages) FROM errors")
        assert len(await all_of("/api/errors?outcome=robots&limit=7", "failures")) == 1
        answer = await client.get("/api/links?after=soon")
        assert answer.status == 400


def test_what_a_spreadsheet_would_calculate_stays_text() -> None:
    assert csv_text([["=1+1", "@x", -1, None, True, 'say "hi"', "a,b"]]) == '\'=1+1,\'@x,-1,,1,"say ""hi""","a,b"\r\n'


async def test_a_list_that_fails_midway_is_broken_off_and_no_error_is_written_into_it(
    faulty: FaultyWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broken_links_page, "_AT_ONCE", 1)
    answered, asked = StoreQueries.ask, 0

    async def ask(queries: StoreQueries, question: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked > 2:
            raise TookTooLong("that took longer than 10 s")
        return await answered(queries, question)

    monkeypatch.setattr(StoreQueries, "ask", ask)
    async with client_of(faulty.store) as client:
        async with client.get("/broken-links.csv") as answer:
            assert answer.status == 200
            with pytest.raises(ClientPayloadError):
                await answer.read()
        monkeypatch.setattr(StoreQueries, "ask", answered)
        assert "broken" in await get(client, "/broken-links.csv")
