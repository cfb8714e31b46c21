"""URLs as the tests of the web platform, Unicode, RFC 3986 and three canonicalisers have them."""

from __future__ import annotations

from typing import Any

from hinterland.crawler.urls.canonical import Canonicaliser, join
from hinterland.crawler.urls.resolving import LinkResolver
from tests.support.shared_data import conformance_cases

CASES = conformance_cases("url_cases")
STANDARD = [case for case in CASES if case["tier"] in ("normative", "idna")]
ADVISORY = [case for case in CASES if case["tier"] == "advisory"]
CANONICALISER = Canonicaliser(max_length=100_000)
SORTING = Canonicaliser(max_length=100_000, sort_parameters=True)

DEVIATIONS = {
    "the encoding of a page is the parser's matter, and never concerns the path": (
        "url-3151 url-3364 url-3365 url-3366 url-3432 url-3498"
    ),
    "[, ], |, ` and a stray % are sent as browsers send them, unescaped": (
        "url-3331 url-3333 url-3552 url-3594 url-3597 url-3601 url-3602 url-3604 url-3605 url-3703"
    ),
    "an escaped reserved character may mean something else than the bare one (RFC 3986, 2.2)": (
        "url-3446 url-3449 url-3461 url-3469"
    ),
    "// in a path is not /": "url-3579 url-3581 url-3736",
    "only parameters named in the settings are dropped": (
        "url-3444 url-3629 url-3678 url-3744 url-3746 url-3754 url-3756"
    ),
    "what is malformed is not guessed at": "url-3221 url-3705 url-3717 url-3720 url-3724 url-3727",
}


def is_for_the_web(url: str | None) -> bool:
    return url is not None and url.startswith(("http://", "https://"))


def test_parsing_and_joining_is_that_of_the_standard_in_every_case() -> None:
    assert len(STANDARD) > 1500
    assert [case["id"] for case in STANDARD if join(case["input"], case["base"]) != case.get("href")] == []


def test_the_canonical_form_of_what_was_written_is_that_of_what_it_means() -> None:
    wrong = [
        case["id"]
        for case in STANDARD
        if CANONICALISER.canonical(case["input"], case["base"])
        != (CANONICALISER.canonical(case["href"]) if is_for_the_web(case.get("href")) else None)
    ]
    assert wrong == []


def test_the_canonical_form_of_a_canonical_url_is_itself() -> None:
    forms = {CANONICALISER.canonical(case["href"]) for case in STANDARD if is_for_the_web(case.get("href"))}
    assert len(forms) > 500
    assert [form for form in forms if form is not None and CANONICALISER.canonical(form) != form] == []


def test_the_remembering_resolver_answers_like_the_canonicaliser() -> None:
    resolver = LinkResolver(CANONICALISER)
    bases = {base for case in CASES if case["base"] and (base := CANONICALISER.canonical(case["base"]))}
    wrong = [
        (case["input"], base)
        for base in bases
        for case in [*STANDARD, *STANDARD]
        if (resolver.resolve(case["input"], base) or None) != CANONICALISER.canonical(case["input"], base)
    ]
    assert len(bases) > 10
    assert wrong == []


def agrees(case: dict[str, Any]) -> bool:
    """Whether our form of what was written is our form of what the other canonicaliser made of it."""
    expected = case.get("href")
    return SORTING.canonical(case["input"], case["base"]) == (expected and SORTING.canonical(expected))


def test_from_other_canonicalisers_we_deviate_exactly_where_we_mean_to() -> None:
    known = [name for names in DEVIATIONS.values() for name in names.split()]
    assert len(ADVISORY) > 250
    assert [case["id"] for case in ADVISORY if not agrees(case)] == sorted(known)
