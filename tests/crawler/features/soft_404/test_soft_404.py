"""Which pages answer 200 and say that the page does not exist."""

from __future__ import annotations

import pytest

from hinterland.crawler.features.soft_404.soft_404 import (
    PROBE_AGAIN,
    ComparedPage,
    Soft404,
    directory_of,
    is_front,
    says_the_same,
)
from hinterland.storage.values.soft_404 import ProbedDirectory

FRAME = "Home News About us {} Contact Imprint Privacy since 1998"
SORRY = FRAME.format("Sorry there is nothing at {} any more, try the search. 10:{} o'clock")
PROBE = ComparedPage("http://a.test/d/qwxyz.html", "Not found: qwxyz", SORRY.format("qwxyz", "41"))


def page(text: str, title: str = "Not found: boots") -> ComparedPage:
    return ComparedPage("http://a.test/d/boots.html", title, text)


def test_what_differs_in_its_url_and_the_time_only_is_the_same_answer() -> None:
    assert says_the_same(page(SORRY.format("boots", "59")), PROBE)


def test_other_suggestions_make_no_difference_where_the_title_says_that_there_is_no_page() -> None:
    suggested = SORRY.format("boots", "59") + " Perhaps you meant the coats and scarves of this winter"
    assert says_the_same(page(suggested), PROBE)


@pytest.mark.parametrize(
    "other",
    [
        page(SORRY.format("boots", "59"), "Boots for the winter"),
        page(FRAME.format("Boots for the winter, of leather and of felt, are here in all sizes and colours")),
        page("boots 12:30"),
        page(""),
    ],
)
def test_a_page_with_a_title_or_words_of_its_own_is_a_page(other: ComparedPage) -> None:
    assert not says_the_same(other, PROBE)


def test_a_directory_is_asked_again_after_a_month_and_when_the_clock_was_set_back() -> None:
    book = Soft404("all", [ProbedDirectory("http://a.test/d/", PROBE.url, 1e9, 404)])
    assert book.probed("http://a.test/d/x?y=/z/", 1e9 + 1) is not None
    assert book.probed("http://a.test/d/x", 1e9 + PROBE_AGAIN) is None
    assert book.probed("http://a.test/d/x", 1e9 - 9) is None
    assert book.probed("http://a.test/e/x", 1e9 + 1) is None


def test_front_pages_are_no_errors() -> None:
    assert directory_of("http://a.test/d/x?y=/z") == "http://a.test/d/"
    assert [is_front(path) for path in ("/", "/d/", "/d/index.html?x=1", "/d/x")] == [True, True, True, False]
