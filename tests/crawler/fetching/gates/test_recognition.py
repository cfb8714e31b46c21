"""What is taken for a gate, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.gates.gate import Gate, GateKind
from hinterland.crawler.fetching.gates.known_fields import FILTER_FIELDS, KNOWN_FIELDS
from hinterland.crawler.fetching.gates.known_pages import KNOWN_PAGES
from hinterland.crawler.fetching.gates.known_targets import KNOWN_TARGETS
from hinterland.crawler.fetching.gates.recognition import MAX_PAGE_BYTES, gate_at, gate_in_fields, gate_in_page
from tests.support.gate_pages import GATE_PAGES, ORDINARY_PAGES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", GATE_PAGES)
def test_a_page_that_a_known_gate_shows_is_recognised(name: str) -> None:
    status, page, words = GATE_PAGES[name]
    gate = gate_in_page(status, page)
    assert gate is not None
    assert gate.in_words(status).startswith(f"{words} (status {status}, ")


@pytest.mark.parametrize("name", ORDINARY_PAGES)
@pytest.mark.parametrize("status", [200, 403, 429, 503])
def test_an_ordinary_page_is_none_however_much_it_speaks_of_gates(name: str, status: int) -> None:
    assert gate_in_page(status, ORDINARY_PAGES[name]) is None


def test_every_gate_that_is_known_by_its_page_has_an_example() -> None:
    shown = {(gate.owner, gate.kind) for status, page, _ in GATE_PAGES.values() if (gate := gate_in_page(status, page))}
    assert {(known.owner, known.kind) for known in KNOWN_PAGES} == shown


@pytest.mark.parametrize("name", GATE_PAGES)
def test_with_a_text_to_read_it_is_a_page(name: str) -> None:
    status, page, _ = GATE_PAGES[name]
    assert gate_in_page(status, page + b"<p>" + b"a story of many words " * 150) is None


def test_a_page_larger_than_any_gate_shows_is_not_looked_at() -> None:
    status, page, _ = GATE_PAGES["Cloudflare asks for a browser"]
    assert gate_in_page(status, page + b" " * MAX_PAGE_BYTES) is None


WORDS = st.text("abcdefghijklmnop <>\"'=/!-.&;", max_size=200)


@given(st.lists(st.one_of(WORDS, st.sampled_from(["<p>", "<title>", "</title>", "<script>", "<!--", "<a href=x>"]))))
def test_no_page_that_is_made_of_ordinary_parts_is_a_gate(parts: list[str]) -> None:
    page = "".join(parts).encode()
    assert gate_in_page(200, page) is None
    assert gate_in_page(403, page) is None


@given(st.binary(max_size=300), st.sampled_from(sorted(GATE_PAGES)), st.integers(0, 400))
def test_bytes_of_any_kind_harm_nobody(noise: bytes, name: str, at: int) -> None:
    status, page, _ = GATE_PAGES[name]
    gate = gate_in_page(status, page[:at] + noise + page[at:])
    assert gate is None or isinstance(gate, Gate)


@pytest.mark.parametrize(
    "part", [b"<!--", b"<script", b"<", b"reference ", b"window._cf_chl_opt ", b"http-equiv=refresh ", b"class="]
)
def test_a_page_that_is_made_to_take_long_takes_no_time(part: bytes) -> None:
    keys = b"".join(known.key for known in KNOWN_PAGES)
    page = b"<title>access denied</title>" + keys + part * (20_000 // len(part))
    gate_in_page(403, page)  # a walk over all pairs of places would take minutes


@pytest.mark.parametrize(
    "status, field, value, words",
    [
        (403, "cf-mitigated", "challenge", "a challenge page of Cloudflare (status 403, cf-mitigated: challenge)"),
        (429, "cf-mitigated", "Challenge", "a challenge page of Cloudflare (status 429, cf-mitigated: Challenge)"),
        (
            202,
            "x-amzn-waf-action",
            "challenge",
            "a challenge page of AWS WAF (status 202, x-amzn-waf-action: challenge)",
        ),
        (405, "x-amzn-waf-action", "captcha", "a challenge page of AWS WAF (status 405, x-amzn-waf-action: captcha)"),
        (
            429,
            "x-vercel-mitigated",
            "challenge",
            "a challenge page of Vercel (status 429, x-vercel-mitigated: challenge)",
        ),
        (403, "x-vercel-mitigated", "deny", "a refusal by Vercel (status 403, x-vercel-mitigated: deny)"),
        (202, "sg-captcha", "challenge", "a challenge page of SiteGround (status 202, sg-captcha: challenge)"),
        (403, "x-dd-b", "1", "a challenge page of DataDome (status 403, x-dd-b: 1)"),
        (429, "x-kpsdk-ct", "0abc", "a challenge page of Kasada (status 429, x-kpsdk-ct: 0abc)"),
        (403, "x-sucuri-block", "IP", "a refusal by Sucuri (status 403, x-sucuri-block: IP)"),
    ],
)
def test_a_field_by_which_a_filter_names_itself_is_believed(status: int, field: str, value: str, words: str) -> None:
    gate = gate_in_fields(status, [(field, value)])
    assert gate is not None
    assert gate.in_words(status) == words


@pytest.mark.parametrize(
    "status, field, value",
    [
        (403, "cf-mitigated", "none"),
        (403, "server", "cloudflare"),
        (403, "x-datadome", "protected"),
        (200, "x-dd-b", "1"),
        (200, "x-kpsdk-ct", "0abc"),
        (404, "x-vercel-mitigated", "deny"),
        (403, "x-iinfo", "7-7"),
    ],
)
def test_a_field_that_ordinary_answers_have_as_well_says_nothing(status: int, field: str, value: str) -> None:
    assert gate_in_fields(status, [(field, value)]) is None


def test_the_names_of_fields_are_listed_once_and_in_lower_case() -> None:
    assert len(set(FILTER_FIELDS)) == len(FILTER_FIELDS)
    assert {known.name.lower() for known in KNOWN_FIELDS} == set(FILTER_FIELDS)


TARGETS = {
    "https://consent.google.com/m?continue=https://maps.google.com/": (GateKind.CONSENT, "Google"),
    "https://consent.youtube.com/m?continue=x": (GateKind.CONSENT, "Google"),
    "HTTPS://www.google.de/sorry/index?continue=x": (GateKind.CHALLENGE, "Google"),
    "//guce.yahoo.com/consent?brandType=eu": (GateKind.CONSENT, "Yahoo"),
    "https://consent.yahoo.com/v2/collectConsent?sessionId=1": (GateKind.CONSENT, "Yahoo"),
    "https://myprivacy.dpgmedia.nl/consent?siteKey=x": (GateKind.CONSENT, "DPG Media"),
    "https://geo.captcha-delivery.com/captcha/?initialCid=x": (GateKind.CHALLENGE, "DataDome"),
    "https://validate.perfdrive.com/fb803c746e9148689b3984a31fccd902/?ssa=x": (GateKind.CHALLENGE, "Radware"),
    "https://yandex.ru/showcaptcha?cc=1": (GateKind.CHALLENGE, "Yandex"),
    "https://www.ebay.com/splashui/challenge?ap=1": (GateKind.CHALLENGE, "eBay"),
    "https://www.amazon.co.uk/errors/validateCaptcha?x=1": (GateKind.CHALLENGE, "Amazon"),
    "/.well-known/sgcaptcha/?r=%2F": (GateKind.CHALLENGE, "SiteGround"),
    "/.within.website/x/cmd/anubis/api/x": (GateKind.CHALLENGE, "Anubis"),
    "https://forum.example/.well-known/ddos-guard/x": (GateKind.CHALLENGE, "DDoS-Guard"),
    "/_Incapsula_Resource?SWUDNSAI=31": (GateKind.CHALLENGE, "Imperva"),
    "https://journal.example/action/cookieAbsent": (GateKind.COOKIES, "Atypon"),
}


@pytest.mark.parametrize("location", TARGETS)
def test_a_redirect_to_a_gate_is_recognised(location: str) -> None:
    gate = gate_at(location)
    assert gate is not None
    assert (gate.kind, gate.owner, gate.sign) == (*TARGETS[location], f"leads to {location}")


def test_every_gate_that_redirects_lead_to_has_an_example() -> None:
    assert {(known.kind, known.owner) for known in KNOWN_TARGETS} == set(TARGETS.values())


@pytest.mark.parametrize(
    "location",
    [
        *("", "/", "/login?next=/", "https://www.google.com/search?q=consent.google.com", "https://a.example/consent"),
        *("https://a.example/?to=https://consent.google.com/", "https://consent.google.com.a.example.org:x/"),
        *("https://a.example/articles/.well-known/sgcaptcha/", "https://a.example/action/cookieAbsentMinded"),
        *("https://yandex.ru/maps", "https://www.ebay.com/itm/1", "https://a.example/sorry/"),
    ],
)
def test_a_redirect_to_any_other_place_is_none(location: str) -> None:
    assert gate_at(location) is None
