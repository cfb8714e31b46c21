"""Sitemaps and feeds as the tests of crawler-commons and Scrapy have them."""

from __future__ import annotations

from typing import Any

from crawler.sitemaps.dates import epoch_seconds
from crawler.sitemaps.entries import SitemapEntry, SitemapForm, SitemapReading
from crawler.sitemaps.reader import read_sitemap
from crawler.sitemaps.reading_visit import SitemapVisit, plain_host
from crawler.urls.canonical import Canonicaliser
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

DEVIATIONS = {
    "URLs may lie outside the folder of their sitemap, as nearly all crawlers have it": "sitemap-026",
}


def read(case: dict[str, Any]) -> tuple[list[SitemapEntry], SitemapReading]:
    body = (FILES / case["file"].removeprefix("files/")).read_bytes()
    return read_sitemap([body], case["content_type"])


def read_by_a_crawl(case: dict[str, Any]) -> tuple[list[SitemapEntry], SitemapReading]:
    """With URLs in their canonical form."""
    visit = SitemapVisit(case["url"], frozenset((plain_host(case["url"]),)), Canonicaliser(), case["content_type"])
    body = (FILES / case["file"].removeprefix("files/")).read_bytes()
    return visit.feed(body) + visit.close(), visit.reading


def holds(case: dict[str, Any]) -> bool:
    is_normalised = case.get("options", {}).get("url_normaliser", False)
    entries, reading = read_by_a_crawl(case) if is_normalised else read(case)
    urls = [entry.url for entry in entries]
    if "urls" not in case:
        return urls in ([], case.get("also_ok"))
    return urls == case["urls"] and reading.form in FORMS[case["kind"]]


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


def test_elsewhere_we_deviate_exactly_where_we_mean_to() -> None:
    assert deviating([case for case in CASES if case["tier"] != "normative"]) == sorted(DEVIATIONS.values())
