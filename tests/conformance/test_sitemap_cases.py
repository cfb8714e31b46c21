"""Sitemaps and feeds as the tests of crawler-commons and Scrapy have them."""

from __future__ import annotations

from typing import Any

from hinterland.crawler.features.sitemaps.dates import epoch_seconds
from hinterland.crawler.features.sitemaps.entries import SitemapEntry, SitemapForm, SitemapReading
from hinterland.crawler.features.sitemaps.reader import read_sitemap
from hinterland.crawler.features.sitemaps.reading_visit import SitemapVisit, plain_host
from hinterland.crawler.urls.canonical import Canonicaliser
from tests.support.shared_data import conformance_cases, shared_folder

CASES = conformance_cases("sitemap_cases")
FILES = shared_folder("conformance") / "sitemap_files"

FORMS = {
    "urlset": [SitemapForm.URLSET],
    "index": [SitemapForm.INDEX],
    "text": [SitemapForm.TEXT],
    "rss": [SitemapForm.RSS, SitemapForm.RDF],
    "atom": [SitemapForm.ATOM],
}


def read(case: dict[str, Any]) -> tuple[list[SitemapEntry], SitemapReading]:
    body = (FILES / case["file"].removeprefix("files/")).read_bytes()
    return read_sitemap([body], case["content_type"])


def names(case: dict[str, Any]) -> tuple[list[str], SitemapForm]:
    """What it names, as it stands there."""
    entries, reading = read(case)
    return [entry.url for entry in entries], reading.form


def names_to_a_crawl(case: dict[str, Any]) -> tuple[list[str], SitemapForm]:
    """What a crawl takes of that, in canonical form."""
    hosts = frozenset((plain_host(case["url"]),))
    folder_only = case["options"].get("same_directory_only", False)
    visit = SitemapVisit(case["url"], hosts, Canonicaliser(), case["content_type"], folder_only=folder_only)
    entries = visit.feed((FILES / case["file"].removeprefix("files/")).read_bytes()) + visit.close()
    return [*(entry.url for entry in entries), *visit.sitemaps], visit.reading.form


def holds(case: dict[str, Any]) -> bool:
    urls, form = names(case)
    if "urls" not in case:
        return urls in ([], case.get("also_ok"))
    if urls != case["urls"]:  # by an option of a crawl, perhaps
        urls, form = names_to_a_crawl(case)
    return urls == case["urls"] and form in FORMS[case["kind"]]


def deviating(cases: list[dict[str, Any]]) -> list[str]:
    return [case["id"] for case in cases if not holds(case)]


def test_every_normative_case_holds() -> None:
    cases = [case for case in CASES if case["tier"] == "normative"]
    assert len(cases) > 25
    assert deviating(cases) == []


def test_dates_are_those_that_the_cases_have() -> None:
    cases = [case for case in CASES if "entries" in case]
    assert cases
    for case in cases:
        dates = [epoch_seconds(entry.get("lastmod", "")) for entry in case["entries"]]
        assert [entry.lastmod for entry in read(case)[0]] == dates, case["id"]
    assert epoch_seconds("2009-08-16") == 1_250_380_800


def test_every_other_case_holds_with_the_options_that_it_asks_for() -> None:
    assert deviating([case for case in CASES if case["tier"] != "normative"]) == []
