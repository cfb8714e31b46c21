"""robots.txt as others see it: the RFC's examples and the tests of Google, Protego, crawler-commons, ..."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Any

from hinterland.crawler.fetching.robots.matching import normal_form
from hinterland.crawler.fetching.robots.rules import (
    MAX_BYTES,
    RobotsAvailability,
    availability,
    is_product_token,
    parse_robots,
    robots_url,
)
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import host_of, path_of
from tests.support.shared_data import conformance_cases

CASES = conformance_cases("robots_cases")

NOT_OURS = {
    "request_rate": "a directive that nobody else obeys; Crawl-delay says the same",
    "visit_time": "as above",
    "preferred_host": "canonical hosts are known from redirects and rel=canonical",
    "match_path": "how to read a URL without a scheme; ours are canonical",
}

DEVIATIONS = {
    "our product token is matched whole, as the RFC has it, never as a prefix of another": ("robots-0826 robots-1913"),
    "names with digits, spaces, marks or umlauts are no product tokens; `core` has AB42bot unaddressable": (
        "robots-0593 robots-0594 robots-0596 robots-0597 robots-0605 robots-0608 robots-0611 robots-0615 "
        "robots-0618 robots-0632 robots-0637 robots-0762 robots-1149 robots-1274 robots-1275 robots-1277 "
        "robots-1286 robots-1295 robots-1321 robots-1324 robots-1450 robots-1491 robots-1494 robots-1561"
    ),
    "a User-agent line names one agent, the first word of it": ("robots-1273 robots-1285 robots-1294 robots-1342"),
    "the first word of our own name is the agent; sources contradict each other": "robots-0050",
    "/robots.txt itself is always allowed (section 2.2.2)": "robots-0261",
    "`user agent` needs its colon when the name has spaces; `useg-agent` is no spelling of it": (
        "robots-0758 robots-1493"
    ),
    "a colon may be forgotten, as in the reference implementation": "robots-0903",
    "patterns that start with neither `/` nor `*` match nothing, as in the reference implementation": (
        "robots-0802 robots-1098 robots-1099 robots-1100"
    ),
    "a final `$` is an anchor, not the letter": "robots-0800",
    "rules before any User-agent line belong to nobody": "robots-0885",
    "unknown lines never end a run of User-agent lines (section 2.2.4)": "robots-0895",
    "rules are matched against paths; which file is whose is the crawler's matter": "robots-1842 robots-1844",
    "Google alone takes index.html for its directory": "robots-0088",
    "non-ASCII in a URL equals its percent-encoding (section 2.2.2); sources contradict each other": ("robots-0075"),
    "429 asks for fewer requests, so it is unreachable; the RFC allows either": "robots-0519",
    "a Crawl-delay inside HTML is not a number": "robots-1422 robots-1424",
    "a line without `Sitemap:` is none": "robots-1559",
    "sitemap addresses are given as they stand; they are resolved when they are fetched": "robots-1563",
}


def as_written(url: str) -> str:
    """Path and query of a URL, however odd, without rewriting them."""
    path = re.sub(r"^[a-z]+://[^/?#]*|#.*", "", url)
    return path if path.startswith("/") else f"/{path}"


def canonical(url: str) -> str:
    found = Canonicaliser(max_length=10**6).canonical(url, "http://example.com/")
    assert found is not None, url[:100]
    return found


def changes_when_canonical(case: dict[str, Any]) -> bool:
    path = path_of(canonical(case["url"]))
    return parse_robots(body_of(case), case["agent"]).allows(path) is not case["allowed"]


def body_of(case: dict[str, Any]) -> bytes:
    return b64decode(case["robots_b64"]) if "robots_b64" in case else case.get("robots", "").encode()


def answer(case: dict[str, Any]) -> object:
    rules = parse_robots(body_of(case), case.get("agent", "*"))
    match case["kind"]:
        case "allowed":
            return rules.allows(as_written(case["url"]))
        case "crawl_delay":
            return rules.crawl_delay
        case "sitemaps":
            return list(rules.sitemaps)
        case "status":
            return availability(case["http_status"]) is not RobotsAvailability.UNREACHABLE
        case "valid_product_token":
            return is_product_token(case["agent"])
        case "robots_url":
            return robots_url(host_of(canonical(case["url"])))
        case "escape_pattern":
            return normal_form(case["url"])
        case "size_limit":
            return {"must_parse_at_least_bytes": min(MAX_BYTES, 512_000)}
    raise AssertionError(case["kind"])


def deviating(cases: list[dict[str, Any]]) -> list[str]:
    return [
        case["id"]
        for case in cases
        if case["kind"] not in NOT_OURS and answer(case) != case.get("expected", case.get("allowed"))
    ]


def test_every_case_of_the_rfc_and_of_common_ground_holds() -> None:
    cases = [case for case in CASES if case["tier"] in ("core", "rfc")]
    assert len(cases) > 700
    assert not {case["kind"] for case in cases} & NOT_OURS.keys()
    assert deviating(cases) == []


def test_the_same_holds_for_urls_in_our_canonical_form() -> None:
    cases = [
        case
        for case in CASES
        if case["kind"] == "allowed"
        and case["tier"] in ("core", "rfc", "unnormalised-url")
        and not case["url"].startswith("ftp:")
    ]
    assert [case["id"] for case in cases if changes_when_canonical(case)] == [
        "robots-0075",  # among DEVIATIONS in any form
        "robots-0970",  # "/?" is forbidden but "/" is not, and "/" is what we would fetch
    ]


def test_elsewhere_we_deviate_exactly_where_we_mean_to() -> None:
    known = [name for names in DEVIATIONS.values() for name in names.split()]
    assert sorted(known) == sorted(set(known))
    assert deviating([case for case in CASES if case["tier"] not in ("core", "rfc")]) == sorted(known)
