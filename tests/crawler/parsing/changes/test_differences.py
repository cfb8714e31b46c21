"""Whether a page says something else than before: its content counts, and not what stands around it or is noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.parsing.changes.differences import difference, passages
from hinterland.crawler.parsing.changes.regions import RegionWords, region_words
from hinterland.crawler.parsing.html.page_elements import read_elements

FRAME = """<html><head><title>A page</title><style>p {{}}</style></head><body>
<nav><a href=/>Home</a> <a href=/news>{news}</a></nav>
<div class="ad-slot"><p>{ad}</p></div>
<main><h1>Walks</h1><p>{text}</p><p>The rest of it has stood here for years.</p></main>
<footer>Contact us {footer}</footer><script>var x = "{script}"</script></body></html>"""


def page(
    text: str = "Take the path along the river until the old mill.",
    *,
    news: str = "News",
    ad: str = "Buy boots",
    footer: str = "",
    script: str = "",
) -> RegionWords:
    html = FRAME.format(text=text, news=news, ad=ad, footer=footer, script=script)
    return region_words(html.encode())


def changed(old: RegionWords, new: RegionWords) -> int:
    return difference(old.words, new).words


def test_the_words_of_a_page_are_those_that_can_be_seen() -> None:
    assert " ".join(page().words[:8]) == "Home News Buy boots Walks Take the path"
    assert page().is_content[:6] == b"\0\0\0\0\1\1"


@pytest.mark.parametrize(
    "html", ["", "<img src=a>", "<body> ", "<script>x</script>", "<frameset><frame src=x>", "<title>t"]
)
def test_a_page_without_text_has_no_words(html: str) -> None:
    assert region_words(html.encode()) == RegionWords([], b"", [])


def test_a_page_that_says_the_same_has_not_changed() -> None:
    assert difference(page().words, page()).is_none


def test_what_the_text_says_counts_by_its_words() -> None:
    new = page("Take the path along the river until the new mill.")
    assert changed(page(), new) == 2
    assert 0 < difference(page().words, new).share < 0.1


def test_a_passage_that_is_new_or_gone_counts() -> None:
    longer = page("Take the path along the river until the old mill. It is closed in winter.")
    assert changed(page(), longer) == 5
    assert changed(longer, page()) == 5


def test_words_gone_from_the_edge_of_the_content_may_be_a_label_of_its_surroundings() -> None:
    label, paragraph = page(footer="Revised by hand"), page("Take the path. " + "It is closed in winter. " * 3)
    ends = RegionWords.of_text("Walks Take the path.")
    around = RegionWords([*ends.words, "Contact"], ends.is_content + b"\0")
    assert difference([*ends.words, "Edit", "this", "page", "Contact"], around).is_none
    assert difference([*paragraph.words, "Contact"], around).words > 8
    assert changed(label, page()) == 0


@pytest.mark.parametrize(
    "html",
    [
        '<div class="adsbygoogle">{}</div>',
        '<div id="carbonads"><a href=/x>{}</a></div>',
        '<div class="sponsoredContent">{}</div>',
        '<section class="ad-unit">{}</section>',
        '<div data-ad-slot="17">{}</div>',
        '<a rel="nofollow sponsored" href=/x>{}</a>',
    ],
)
def test_advertisements_count_for_nothing_wherever_they_stand(html: str) -> None:
    assert changed(page(html.format("Try our database")), page(html.format("Hire engineers at once"))) == 0


@pytest.mark.parametrize(
    "html",
    [
        "<h1>Everyday commands</h1><span id=revdate>{}</span>",
        "<div class=lastModified>{}</div>",
        "<p class=page-updated-at>{}</p>",
    ],
)
def test_the_date_of_a_revision_counts_for_nothing_where_the_page_says_that_it_is_one(html: str) -> None:
    assert changed(page(html.format("2024-03-25")), page(html.format("2024-03-28"))) == 0
    assert changed(page("2024-03-25"), page("2024-03-28")) > 0


def test_the_labels_of_tabs_count_for_nothing_but_what_they_show_does() -> None:
    labels, shown = "<ul id=tabs><li><a href=/>Manual of {}</a></ul>", "<div class=tabs><p>Version {} is out.</p></div>"
    assert changed(page(labels.format("3.4")), page(labels.format("3.6"))) == 0
    assert changed(page(shown.format("3.4")), page(shown.format("3.6"))) == 2


def test_a_section_is_content_though_its_heading_says_navigation() -> None:
    section = "<section id=navigation><h2 id=menu>Menu</h2><p>By {} and compass.</p></section>"
    assert changed(page(section.format("map")), page(section.format("stars"))) == 2


def test_the_words_in_drawings_are_those_of_the_text() -> None:
    html = b"<body><svg><text>select</text></svg><math><mi>x</mi></math><canvas>no</canvas><p>End</p></body>"
    assert list(region_words(html).words) == read_elements(html, max_anchors=9, with_text=True).text.decode().split()


@pytest.mark.parametrize("where", ["news", "ad", "footer", "script"])
def test_what_stands_around_the_content_counts_for_nothing(where: str) -> None:
    assert changed(page(), page(**{where: "Something else that is longer"})) == 0


@pytest.mark.parametrize(
    "noise, other",
    [
        ("Page generated on 3 March 2024 at 10:42:07.", "Page generated on 4 March 2024 at 00:01:59."),
        ("It is 10:42 now.", "It is 11:07 now."),
        ("1,204 visitors online", "877 visitors online"),
        ("Rendered in 0.203 seconds", "Rendered in 0.198 seconds"),
        ("Request 7f3a99c2e0d14b6fa0c1", "Request 00b7c1de42f94a7c8e11"),
        ("updated 3 minutes ago", "updated 4 minutes ago"),
        ("Last updated on Aug 09, 2024", "Last updated on Jan 02, 2023"),
        ("Reference #18.2a3bc4d5.6e7f8a9b", "Reference #71.00b7c1de.42f94a7c"),
        ("Viewed 1,204 times", "Viewed 1,911 times"),
        ("Star <b>120</b>", "Star <b>131</b>"),
        ("map &lt; T &gt; ( )", "map&lt;T&gt;()"),
    ],
)
def test_clocks_counters_and_tokens_count_for_nothing_even_in_the_content(noise: str, other: str) -> None:
    assert changed(page(noise), page(other)) == 0


@pytest.mark.parametrize(
    "text, other",
    [
        ("It takes 3 hours from the station.", "It takes 4 days from the station."),
        ("The ticket costs 12 francs.", "The ticket costs 14 francs."),
        ("Python 3.12 is needed.", "Python 3.13 is needed."),
        ("The meeting is on 3 March 2024.", "The meeting is on 10 March 2024."),
        ("Status: Draft", "Status: Final"),
        ("Doors open at 11:00", "Doors open at 12:00"),
        ("Released on August 5, 12:00 GMT", "Released on August 6, 12:00 GMT"),
    ],
)
def test_numbers_and_dates_that_somebody_wrote_count(text: str, other: str) -> None:
    assert changed(page(text), page(other)) > 0


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "h"]), max_size=40)


@pytest.mark.slow
@given(WORDS, WORDS)
def test_the_passages_turn_the_old_words_into_the_new_ones(old: list[str], new: list[str]) -> None:
    made, at = list[str](), 0
    for passage in passages(old, new):
        assert passage.old_start >= at
        made += old[at : passage.old_start]
        assert len(made) == passage.new_start
        made += new[passage.new_start : passage.new_end]
        at = passage.old_end
    assert made + old[at:] == new


@given(WORDS)
def test_equal_words_have_no_passages(words: list[str]) -> None:
    assert list(passages(words, list(words))) == []


@pytest.mark.slow
@given(WORDS, WORDS)
def test_the_share_lies_between_nothing_and_all(old: list[str], new: list[str]) -> None:
    found = difference(old, RegionWords.of_text(" ".join(new)))
    assert 0.0 <= found.share <= 1.0
    assert found.is_none == (found.share == 0.0)


@pytest.mark.parametrize(
    "frame",
    [
        '<div class="wy-grid-for-nav"><nav>{menu}</nav><b class="wy-nav-content"><i role=main>{text}</i></b></div>',
        '<div class="has-sidebar with-menu"><nav>{menu}</nav><p>{text}</p></div>',
        '<div id="nav-page"><nav>{menu}</nav><p>{text}</p></div>',
        '<div class="sphinxsidebar">{menu}</div><div class="body">{text}</div>',
    ],
    ids=["Read the Docs", "a layout", "all of the page", "Sphinx"],
)
def test_what_holds_the_whole_page_is_no_menu_whatever_its_name_says(frame: str) -> None:
    def read(menu: str, text: str) -> RegionWords:
        return region_words(frame.format(menu=menu, text=text).encode())

    old = read("Home", "Take the path.")
    assert changed(old, read("Home", "Take the road.")) == 2
    assert changed(old, read("News", "Take the path.")) == 0


def test_code_that_is_divided_otherwise_by_another_highlighter_says_the_same() -> None:
    old = page("<pre>public: open(std::string* name, 0); close();</pre>")
    assert changed(old, page("<pre>public : open ( std :: string * name , 0 ); close ();</pre>")) == 0
    assert changed(old, page("<pre>public : open ( std :: string * path , 0 ); close ();</pre>")) > 0
