"""Which anchor texts become queries, and what is held out for them."""

from __future__ import annotations

import pytest

from benchmarks.known_items import (
    STRATA,
    AnchorLink,
    Selection,
    folder_of,
    is_for_training,
    known_items,
    query_words,
    stratum_of,
    why_not,
)

HOSTS = dict.fromkeys(range(100), "a.example") | {9: "b.example"}


def link(source: int, item: int, words: str, folder: str = "a.example/x", target: int | None = None) -> AnchorLink:
    return AnchorLink(source, item if target is None else target, item, words, folder)


def chosen(links: list[AnchorLink], titles: dict[int, str], most: int = 300) -> Selection:
    return known_items(links, {}, titles, HOSTS, most)


@pytest.mark.parametrize(
    "anchor, words",
    [
        ("The  tutorial ", "the tutorial"),
        ("str.join()", "str.join"),
        ("4.2. for Statements¶", "4.2 for statements"),
        ('-site:"x" C++', "site x c++"),
        ("ﬁle", "file"),
    ],
)
def test_a_query_has_the_words_of_the_anchor_and_no_operators(anchor: str, words: str) -> None:
    assert query_words(anchor) == words


@pytest.mark.parametrize(
    "anchor, reason",
    [
        ("https://docs.example.org/x", "URL or file name"),
        ("index.html", "URL or file name"),
        ("plot.png", "URL or file name"),
        ("»", "no word"),
        ("1.2.3", "no word"),
        ("Next page", "navigation"),
        ("next Sparse matrices", "navigation"),
        ("a b c d e f g h i j k", "too long"),
        ("Sparse matrices", ""),
    ],
)
def test_anchors_that_name_nothing_are_no_queries(anchor: str, reason: str) -> None:
    assert why_not(anchor) == reason


@pytest.mark.parametrize(
    "query, stratum", [("sparse matrices", 0), ("sparse arrays", 1), ("efficient storage", 2), ("scipy.sparse", 1)]
)
def test_strata_say_how_much_of_the_query_the_title_has(query: str, stratum: int) -> None:
    assert stratum_of(query, "Sparse matrices — Manual") == STRATA[stratum]


def test_a_text_that_leads_to_several_pages_is_no_query_even_if_one_is_not_in_the_index() -> None:
    links = [link(5, 1, "guide"), link(6, 77, "guide"), link(5, 2, "recipes")]
    selection = chosen(links, {1: "Guide", 2: "Recipes"})
    assert [item.query for item in selection.items] == ["recipes"]
    assert selection.counts["leads to several pages"] == 1


def test_every_link_from_the_folders_of_the_query_is_held_out_and_no_other() -> None:
    links = [
        link(5, 1, "recipes"),
        link(6, 1, "cooking", "a.example/x"),  # a neighbour of the query's link
        link(7, 1, "recipes", "a.example/y", target=3),  # over a page folded into 1
        link(8, 1, "food", "a.example/z"),
        link(5, 2, "recipes of others", "a.example/x"),
    ]
    selection = chosen([*links, link(4, 9, "cooking"), link(4, 9, "food")], {1: "Recipes", 2: ""})
    item = next(item for item in selection.items if item.page == 1)
    assert item.query == "recipes"
    assert item.held_out == ((5, 1), (6, 1), (7, 3))


def test_a_page_gives_one_query_and_the_same_one_each_time() -> None:
    links = [link(source, 1, words) for source, words in ((5, "one"), (6, "two"), (7, "three"))]
    first = chosen(links, {1: "One of two"})
    again = chosen(list(reversed(links)), {1: "One of two"})
    assert len(first.items) == 1
    assert [item.query for item in first.items] == [item.query for item in again.items]


def test_no_stratum_gives_more_than_a_third_of_what_is_asked_for() -> None:
    pages = range(20, 60)
    links = [link(5, page, f"name {page}") for page in pages] + [link(5, 1, "other")]
    selection = chosen(links, {page: f"Name {page}" for page in pages} | {1: "Title"}, most=30)
    strata = [item.stratum for item in selection.items]
    assert (strata.count(STRATA[0]), strata.count(STRATA[2])) == (10, 1)


def test_a_query_is_from_outside_if_all_its_links_are() -> None:
    [item] = chosen([link(9, 1, "recipes")], {1: "Recipes"}).items
    assert item.is_outside
    [item] = chosen([link(9, 1, "recipes"), link(5, 1, "recipes")], {1: "Recipes"}).items
    assert not item.is_outside


def test_a_third_of_the_pages_is_for_training() -> None:
    items = chosen([link(5, page, f"name {page}") for page in range(10, 99)], dict.fromkeys(range(10, 99), "")).items
    chosen_ones = [is_for_training(item) for item in items]
    assert 15 < sum(chosen_ones) < 45


def test_a_folder_is_a_url_up_to_its_last_slash() -> None:
    assert folder_of("http://a.example/x/y.html?z=/q") == "a.example/x"
