"""The hits of a query as a feed and as CSV: as their standards have it, whatever was crawled."""

from __future__ import annotations

import csv
import io
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import pytest

from tests.support.browsing import BrowserLoop, visiting
from tests.web.test_pages import attribute, client_of, get

if TYPE_CHECKING:
    from playwright.async_api import Browser

ATOM = "{http://www.w3.org/2005/Atom}"


def one(parent: ET.Element, name: str) -> ET.Element:
    """The only child of that name: so the standard has it."""
    [found] = parent.findall(ATOM + name)
    return found


def text(parent: ET.Element, name: str) -> str:
    found = one(parent, name).text
    assert found, name
    return found


@pytest.mark.parametrize("is_hostile", [False, True])
async def test_a_feed_has_all_that_rfc_4287_asks_for(
    is_hostile: bool, crawled_store: Path, hostile_store: Path
) -> None:
    async with client_of(hostile_store if is_hostile else crawled_store) as client:
        async with client.get("/search.atom?q=Ferry") as answer:
            assert answer.content_type == "application/atom+xml"
            feed = ET.fromstring(await answer.text())
        page = await get(client, "/?q=Ferry")
        assert attribute(page, "link[type='application/atom+xml']", "href") == "/search.atom?q=Ferry"
    assert feed.tag == f"{ATOM}feed"
    assert text(feed, "id").endswith("/search.atom?q=Ferry")
    assert text(feed, "title") == "Ferry · Hinterland"
    assert text(one(feed, "author"), "name")
    links = {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}
    assert links["self"] == text(feed, "id")
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) >= 20
    for entry in [feed, *entries]:
        assert datetime.fromisoformat(text(entry, "updated")).tzinfo is not None
        assert urlsplit(text(entry, "id")).scheme in ("http", "https")
    for entry in entries:
        text(entry, "title")
        one(entry, "summary")
        assert one(entry, "link").get("href") == text(entry, "id")
        assert not any(child.get("type") for child in entry if child.tag != f"{ATOM}link")  # plain text, no markup
    assert len({text(entry, "id") for entry in entries}) == len(entries)
    assert text(feed, "updated") == max(text(entry, "updated") for entry in entries)


async def test_a_feed_without_hits_is_one_and_a_query_that_cannot_be_asked_is_an_error(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        feed = ET.fromstring(await get(client, "/search.atom?q=Nothing"))
        assert not feed.findall(f"{ATOM}entry")
        assert text(feed, "updated")
        for asked in ("search.atom", "search.csv?q=", "search.csv?q=x:", "search.atom?q=x&order=size"):
            await get(client, f"/{asked}", 400)


@pytest.mark.parametrize("is_hostile", [False, True])
async def test_csv_has_a_row_for_each_hit(is_hostile: bool, crawled_store: Path, hostile_store: Path) -> None:
    async with client_of(hostile_store if is_hostile else crawled_store) as client:
        rows = list(csv.DictReader(io.StringIO(await get(client, "/search.csv?q=Ferry&limit=7&offset=2"), newline="")))
    assert [row["place"] for row in rows] == [str(place) for place in range(3, 10)]
    assert all(row["title"] and row["fetched"] for row in rows)


async def test_other_crawlers_are_asked_to_stay_away(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        assert await get(client, "/robots.txt") == "User-agent: *\nDisallow: /\n"


@pytest.mark.slow
def test_keys_lead_to_the_search_box_and_from_hit_to_hit(browser_loop: BrowserLoop, crawled_store: Path) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, crawled_store) as visitor:
            page = visitor.page
            await visitor.go("/hosts")
            await page.keyboard.press("/")
            await page.keyboard.type("Ferry j")
            assert await page.input_value("#top-q") == "Ferry j"
            await page.keyboard.press("Enter")
            await page.wait_for_selector("ol.hits")
            for key, place in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
                await page.keyboard.press(key)
                assert (
                    await page.evaluate("[...document.querySelectorAll('.hits h2 a')].indexOf(document.activeElement)")
                    == place
                )
            await page.keyboard.press("/")
            assert await page.evaluate("document.activeElement.id") == "q"
            assert not await visitor.violations()

    browser_loop.run(scenario)
