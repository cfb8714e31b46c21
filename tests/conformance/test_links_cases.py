"""Links out of HTML as the tests of html5lib, the web platform and eight crawlers have them."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest

from hinterland.crawler.parsing.html.parsed_page import LinkKind, ParsedPage
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver
from tests.support import page_parsing
from tests.support.shared_data import conformance_cases

CASES = [case for case in conformance_cases("links_cases") if case["match"] == "exact"]  # no srcset
CANONICALISER = Canonicaliser(max_length=100_000)
NOWHERE = "http://page.without.url.example/"

DEVIATIONS = {
    "pictures are links like others; what comes of them, the fetch will tell": "links-0005",
    "an unterminated attribute goes on to the next quote, and its tag counts": "links-0018",
    "a refresh without a URL reloads the page": "links-0068",
    "Python's gb18030 has a code for U+E5E5, the standard's has not": "links-0514",
}
NOT_REPORTED = {"images", "media", "base"}
"""What cases expect beside links and a crawl has no use for; a base shows in the links."""


def parsed(case: dict[str, Any]) -> ParsedPage:
    if "html_b64" in case:
        body = b64decode(case["html_b64"])
    elif "html_repeat" in case:
        body = "".join(text * times for text, times in case["html_repeat"]).encode()
    else:
        body = case["html"].encode()
    headers = case.get("headers", {})
    page, _ = page_parsing.parsed(
        body,
        url=own_url(case),
        content_type=case["content_type"],
        resolver=LinkResolver(CANONICALISER),
        agent="Hinterland",
        robots_header=[headers[name] for name in headers if name == "X-Robots-Tag"],
        link_header=[headers[name] for name in headers if name == "Link"],
    )
    return page


def own_url(case: dict[str, Any]) -> str:
    return CANONICALISER.canonical(case["url"]) or NOWHERE


def targets(page: ParsedPage, *kinds: LinkKind) -> set[str]:
    return {url for url, kind in zip(page.link_urls, page.link_kinds, strict=True) if kind in kinds}


def as_stored(urls: list[str], case: dict[str, Any]) -> set[str]:
    return {form for url in urls if (form := CANONICALISER.canonical(url)) and form != own_url(case)}


def fulfils(case: dict[str, Any]) -> bool:
    page = parsed(case)
    return all(_holds(name, value, page, case) for name, value in case["expect"].items() if name not in NOT_REPORTED)


def _holds(name: str, expected: Any, page: ParsedPage, case: dict[str, Any]) -> bool:
    links = targets(page, LinkKind.A, LinkKind.AREA)
    match name:
        case "links":
            optional = as_stored(case["expect"].get("links_optional", []), case)
            return links - optional == as_stored(expected, case) - optional
        case "links_optional":
            return True
        case "nofollow":
            marked = {url for url, mark in zip(page.link_urls, page.link_nofollow, strict=True) if mark}
            return marked == as_stored(expected, case)
        case "frames":
            return targets(page, LinkKind.FRAME, LinkKind.IFRAME) == as_stored(expected, case)
        case "canonical":
            return page.canonical == CANONICALISER.canonical(expected)
        case "robots_meta":
            return (page.noindex, page.nofollow) == (expected["noindex"], expected["nofollow"])
        case "meta_refresh":
            if expected is None:
                return page.refresh_seconds is None
            refreshed = targets(page, LinkKind.REFRESH) or {own_url(case)}
            target = CANONICALISER.canonical(expected["url"])
            return (page.refresh_seconds, refreshed) == (expected["delay"], {target})
    raise AssertionError(name)


@pytest.mark.parametrize("tier", ["normative", "malformed"])
def test_every_case_that_is_expected_to_hold_does(tier: str) -> None:
    cases = [case for case in CASES if case["tier"] == tier]
    assert len(cases) > 150
    assert [case["id"] for case in cases if not fulfils(case)] == []


def test_elsewhere_we_deviate_exactly_where_we_mean_to() -> None:
    known = [name for names in DEVIATIONS.values() for name in names.split()]
    others = [case for case in CASES if case["tier"] in ("advisory", "optional")]
    assert [case["id"] for case in others if not fulfils(case)] == sorted(known)
