from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.parsing.html.directives import PageDirectives, page_directives

NOTHING = PageDirectives()
NOFOLLOW = PageDirectives(nofollow=True)
NOINDEX = PageDirectives(noindex=True)
BOTH = PageDirectives(nofollow=True, noindex=True)


@pytest.mark.parametrize(
    "value, directives",
    [
        ("", NOTHING),
        ("all", NOTHING),
        ("index, follow", NOTHING),
        ("noarchive, nosnippet, noimageindex, max-snippet:20, nofollow-images", NOTHING),
        ("nofollow", NOFOLLOW),
        ("noindex", NOINDEX),
        ("none", BOTH),
        ("NoIndex,NOFOLLOW", BOTH),
        ("  noindex ,, nofollow  ", BOTH),
        ("noindex nofollow", BOTH),
        ("noindex; nofollow", BOTH),
        ("index, noindex", NOINDEX),
        ("max-snippet: -1, nofollow", NOFOLLOW),
        ("max-image-preview:none", NOTHING),
        ("max-image-preview: none, noindex", NOINDEX),
        ("unavailable_after: Friday, 25-Jun-10 15:00:00 PST, nofollow", NOFOLLOW),
        ("unavailable_after: Tue, 25 Jun 2010 15:00:00 GMT, noindex", NOINDEX),
        ("unavailable_after: 2010-06-25T15:00:00+00:00", NOTHING),
        ("noindex, unavailable_after: 25 Jun 2010 15:00:00 PST", NOINDEX),
    ],
)
def test_directives_without_a_name_are_for_everyone(value: str, directives: PageDirectives) -> None:
    assert page_directives([value], "Hinterland") == directives


@pytest.mark.parametrize(
    "value, directives",
    [
        ("hinterland: noindex, nofollow", BOTH),
        ("Hinterland : none", BOTH),
        ("Hinterland/0.1: noindex", NOINDEX),
        ("googlebot: noindex, nofollow", NOTHING),
        ("hinterlands: nofollow", NOTHING),
        ("nofollow, googlebot: noindex", NOFOLLOW),
        ("googlebot: noindex, hinterland: nofollow", NOFOLLOW),
        ("hinterland: nofollow, googlebot: noindex", NOFOLLOW),
        ("googlebot: noindex, *: nofollow", NOFOLLOW),
        ("robots: noindex", NOINDEX),
        ("hinterland: unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", NOFOLLOW),
        ("googlebot: unavailable_after: Tue, 25 Jun 2010 15:00:00 PST, nofollow", NOTHING),
        ("googlebot: max-snippet: 3, nofollow", NOTHING),
    ],
)
def test_directives_with_a_name_are_for_that_agent_alone(value: str, directives: PageDirectives) -> None:
    assert page_directives([value], "Hinterland") == directives


def test_each_value_starts_afresh_and_the_strictest_of_all_holds() -> None:
    assert page_directives(["googlebot: noindex", "nofollow", "follow, all"], "hinterland") == NOFOLLOW
    assert page_directives(["nofollow", "hinterland: noindex"], "hinterland") == BOTH
    assert page_directives([], "hinterland") == NOTHING


@given(st.lists(st.text() | st.text("nofolw:,*; "), max_size=4), st.text())
def test_no_text_raises_and_more_text_is_never_more_lenient(values: list[str], agent: str) -> None:
    some, more = page_directives(values[1:], agent), page_directives(values, agent)
    assert some.nofollow <= more.nofollow
    assert some.noindex <= more.noindex
