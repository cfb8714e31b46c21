"""Which pages are one document, and which of them stands for it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.search.deduplication import Deduplicated, DeduplicationRules, deduplicate, redirect_ends
from hinterland.search.near_duplicates import BINS, EMPTY, BandsInMemory, Signatures
from hinterland.search.store.values.documents import NO_PAGE, IndexablePages
from hinterland.search.url_languages import language_number, named_language

FIRST_PAGE = 100
"""Places and page numbers differ, so that one taken for the other shows."""


def prints(*texts: tuple[int, float]) -> Signatures:
    """Signatures of texts (number, share of its bins changed): the same number with 0 is the same text."""
    rows = np.empty((len(texts), BINS), np.uint16)
    for place, (text, changed) in enumerate(texts):
        if text < 0:
            rows[place] = EMPTY
            continue
        rows[place] = np.random.default_rng(text).integers(0, 60_000, BINS)
        rows[place, : round(changed * BINS)] = np.random.default_rng(1000 + place).integers(0, 60_000)
    return rows


def indexable(
    size: int,
    *,
    contents: Sequence[int] = (),
    canonicals: dict[int, int] | None = None,
    url_lengths: Sequence[int] = (),
    noindex: Sequence[int] = (),
    urls: Sequence[str] = (),
) -> IndexablePages:
    """Pages of distinct contents unless given; canonicals by place."""
    points = np.full(size, NO_PAGE, np.int32)
    for place, target in (canonicals or {}).items():
        points[place] = FIRST_PAGE + target
    return IndexablePages(
        pages=FIRST_PAGE + np.arange(size),
        shown=np.arange(size, dtype=np.uint64),
        hosts=np.zeros(size, np.int32),
        canonicals=points,
        contents=np.array(contents or range(1, size + 1), np.uint64),
        digest_keys=np.zeros(size, np.uint64),
        url_lengths=np.array(url_lengths or [20] * size, np.int32),
        url_languages=np.array([named_language(url)[0] for url in urls] or [0] * size, np.uint16),
        url_rests=np.array([named_language(url)[1] for url in urls] or [0] * size, np.uint32),
        is_noindex=np.isin(np.arange(size), noindex),
    )


def folded(
    pages: IndexablePages,
    texts: Sequence[tuple[int, float]] = (),
    *,
    titles: Sequence[int] = (),
    inlinks: Sequence[int] = (),
    language: str = "",
    rules: DeduplicationRules | None = None,
) -> Deduplicated:
    """Texts differ unless given, titles are equal unless given."""
    size = len(pages.pages)
    return deduplicate(
        pages,
        BandsInMemory(prints(*(texts or [(number, 0.0) for number in range(size)]))),
        np.array(titles or [1] * size, np.uint64),
        np.array(inlinks or [0] * size, np.int64),
        np.full(size, language_number(language), np.uint16),
        rules or DeduplicationRules(),
    )


def stands(deduplicated: Deduplicated) -> list[int]:
    return [int(place) for place in deduplicated.representative]


SAME = [(7, 0.0), (7, 0.0)]


# --- redirects ------------------------------------------------------------------------------------


def ends(hops: dict[int, int], *pages: int) -> dict[int, int]:
    sources = np.array(list(hops), np.int64)
    targets = np.array(list(hops.values()), np.int64)
    found = redirect_ends(sources, targets, np.array(sorted(pages), np.int64))
    return dict(zip(*(side.tolist() for side in found), strict=True))


def test_every_page_of_a_redirect_chain_ends_at_its_end() -> None:
    assert ends({1: 2, 2: 3, 5: 3}, 3, 9) == {1: 3, 2: 3, 5: 3}


def test_redirects_that_end_at_no_document_end_nowhere() -> None:
    assert ends({1: 2, 4: 5}, 3) == {}


def test_redirects_in_a_loop_end_nowhere() -> None:
    assert ends({1: 2, 2: 3, 3: 1, 4: 1, 6: 6}, 9) == {}


def test_a_chain_stops_at_the_first_document_on_its_way() -> None:
    assert ends({1: 2, 2: 3}, 2, 3) == {1: 2}


def test_without_redirects_or_documents_there_are_no_ends() -> None:
    assert ends({}, 1) == ends({1: 2}) == {}


# --- languages ------------------------------------------------------------------------------------

DOCS = "http://a.test/docs/{}/page.html"


def stands_for_copies(urls: Sequence[str], inlinks: Sequence[int], language: str, **more: Any) -> str:
    """The URL that stands for pages of one content."""
    pages = indexable(len(urls), contents=[1] * len(urls), urls=urls, **more)
    [place] = set(stands(folded(pages, inlinks=inlinks, language=language)))
    return urls[place]


def test_a_copy_for_another_language_does_not_stand_for_the_page_however_many_link_to_it() -> None:
    urls = [DOCS.format(tag) for tag in ("tr", "en", "pt-br")]
    assert stands_for_copies(urls, [9, 1, 5], "en") == urls[1]
    assert stands_for_copies(urls, [9, 1, 5], "pt") == urls[2]
    assert stands_for_copies(urls, [9, 1, 5], "") == urls[0]  # nobody knows its language
    assert stands_for_copies(urls, [9, 1, 12], "fr") == urls[2]  # all are for others
    assert stands_for_copies([*urls, "http://a.test/page"], [9, 1, 5, 2], "fr") == "http://a.test/page"


def test_what_looks_like_a_language_counts_only_beside_the_same_url_in_another() -> None:
    urls = ["http://a.test/cs/page.html", "http://a.test/old/page.html", "http://a.test/en/other.html"]
    assert stands_for_copies(urls, [9, 1, 2], "en") == urls[0]


def test_a_page_named_as_canonical_stands_for_the_others_in_whatever_language() -> None:
    urls = [DOCS.format(tag) for tag in ("tr", "en")]
    assert stands_for_copies(urls, [1, 9], "en", canonicals={1: 0}) == urls[0]


@pytest.mark.parametrize(
    "url, other",
    [
        ("http://a.test/en/x", "http://a.test/de/x"),
        ("http://a.test/a/index.html.en", "http://a.test/a/index.html.de"),
        ("http://a.test/a?lang=en-GB&b", "http://a.test/a?lang=zh_Hans&b"),
        ("http://en.a.test/x", "http://de.a.test/x"),
        ("http://a.io/en/x", "http://a.io/pt-br/x"),
    ],
)
def test_urls_that_differ_in_the_language_they_name_have_the_rest_in_common(url: str, other: str) -> None:
    (language, rest), (another, same) = named_language(url), named_language(other)
    assert language != another
    assert rest == same
    assert language == language_number("en")


@pytest.mark.parametrize("url", ["http://a.test/x", "http://de/x", "http://a.de/", "http://a.test/english/xx/enx"])
def test_other_urls_name_no_language(url: str) -> None:
    assert named_language(url) == (0, 0)


# --- canonical ------------------------------------------------------------------------------------


def test_a_page_that_resembles_its_canonical_is_folded_into_it() -> None:
    deduplicated = folded(indexable(2, canonicals={0: 1}), [(7, 0.0), (7, 0.6)])
    assert stands(deduplicated) == [1, 1]
    assert deduplicated.counts["canonical"] == 1


def test_a_page_that_differs_from_its_canonical_is_not_believed() -> None:
    deduplicated = folded(indexable(2, canonicals={0: 1}), [(7, 0.0), (7, 0.8)])
    assert stands(deduplicated) == [0, 1]
    assert (deduplicated.counts["canonical"], deduplicated.counts["canonical not believed"]) == (0, 1)


def test_texts_too_short_to_tell_are_believed() -> None:
    assert stands(folded(indexable(2, canonicals={0: 1}), [(-1, 0.0), (-1, 0.0)])) == [1, 1]


def test_a_short_page_that_names_a_long_one_is_not_believed() -> None:
    assert stands(folded(indexable(2, canonicals={0: 1}), [(-1, 0.0), (7, 0.0)])) == [0, 1]


def test_the_named_page_stands_even_if_the_other_has_more_inlinks_and_a_shorter_url() -> None:
    pages = indexable(2, canonicals={0: 1}, url_lengths=[5, 50])
    assert stands(folded(pages, SAME, inlinks=[90, 0])) == [1, 1]


def test_the_end_of_a_chain_of_canonicals_is_in_one_group_with_all_of_it() -> None:
    deduplicated = folded(indexable(3, canonicals={0: 1, 1: 2}), [(7, 0.0)] * 3)
    assert len(set(stands(deduplicated))) == 1
    assert deduplicated.counts["canonical"] == 2


def test_pages_that_name_each_other_are_one() -> None:
    deduplicated = folded(indexable(2, canonicals={0: 1, 1: 0}), SAME, inlinks=[1, 2])
    assert stands(deduplicated) == [1, 1]
    assert deduplicated.counts["canonical"] == 1


def test_a_page_that_names_itself_or_one_that_is_not_there_stands_for_itself() -> None:
    deduplicated = folded(indexable(2, canonicals={0: 0, 1: 50}))
    assert stands(deduplicated) == [0, 1]
    assert (deduplicated.counts["canonical"], deduplicated.counts["canonical not believed"]) == (0, 0)


def test_a_canonical_that_must_not_be_indexed_takes_nobody_with_it() -> None:
    assert stands(folded(indexable(2, canonicals={0: 1}, noindex=[1]), SAME)) == [0, NO_PAGE]


# --- equal and nearly equal -----------------------------------------------------------------------


def test_pages_with_the_same_body_are_one_whatever_their_titles() -> None:
    deduplicated = folded(indexable(3, contents=[5, 6, 5]), titles=[1, 2, 3])
    assert stands(deduplicated) == [0, 1, 0]
    assert deduplicated.counts["same content"] == 1


def test_pages_without_a_hash_are_not_the_same() -> None:
    assert stands(folded(indexable(2, contents=[0, 0]))) == [0, 1]


def test_near_duplicates_with_one_title_are_one() -> None:
    deduplicated = folded(indexable(2), [(7, 0.0), (7, 0.04)])
    assert stands(deduplicated) == [0, 0]
    assert deduplicated.counts["near-duplicate"] == 1


def test_near_duplicates_with_different_titles_are_two() -> None:
    assert stands(folded(indexable(2), SAME, titles=[1, 2])) == [0, 1]


def test_one_page_of_another_title_does_not_keep_near_duplicates_apart() -> None:
    titles = [1, 2, 1, 2, 1]
    assert stands(folded(indexable(5), [(7, 0.0)] * 5, titles=titles)) == [0, 1, 0, 1, 0]


def test_pages_less_alike_than_the_threshold_are_two() -> None:
    assert stands(folded(indexable(2), [(7, 0.0), (7, 0.1)])) == [0, 1]


def test_a_threshold_above_one_folds_no_near_duplicates() -> None:
    assert stands(folded(indexable(2), SAME, rules=DeduplicationRules(near_duplicates=1.01))) == [0, 1]


def test_a_page_is_counted_once_though_several_reasons_hold() -> None:
    deduplicated = folded(indexable(2, contents=[5, 5], canonicals={0: 1}), SAME)
    assert deduplicated.counts == {
        "noindex": 0, "canonical": 1, "canonical not believed": 0, "same content": 0, "near-duplicate": 0,
    }  # fmt: skip


# --- who stands, and who is left out --------------------------------------------------------------


def test_most_inlinks_then_the_shortest_url_then_the_first_found_decide() -> None:
    same = [5, 5, 5]
    assert stands(folded(indexable(3, contents=same, url_lengths=[9, 9, 5]), inlinks=[1, 2, 1])) == [1, 1, 1]
    assert stands(folded(indexable(3, contents=same, url_lengths=[9, 9, 5]))) == [2, 2, 2]
    assert stands(folded(indexable(3, contents=same))) == [0, 0, 0]


def test_noindex_pages_are_left_out_and_join_nothing() -> None:
    deduplicated = folded(indexable(3, contents=[5, 5, 6], noindex=[0]), inlinks=[9, 0, 0])
    assert stands(deduplicated) == [NO_PAGE, 1, 2]
    assert deduplicated.counts["noindex"] == 1


def test_no_candidates_make_no_documents() -> None:
    assert stands(folded(indexable(0))) == []
    assert stands(folded(indexable(2, noindex=[0, 1]))) == [NO_PAGE, NO_PAGE]


def test_texts_that_are_all_short_stand_for_themselves() -> None:
    assert stands(folded(indexable(2), [(-1, 0.0), (-1, 0.0)])) == [0, 1]


@pytest.mark.slow
@given(
    st.integers(1, 12).flatmap(
        lambda size: st.tuples(
            *(
                st.lists(values, min_size=size, max_size=size)
                for values in (
                    st.integers(0, 4),  # contents
                    st.integers(-1, size),  # canonicals
                    st.sampled_from([-1, 1, 2, 3]),  # texts
                    st.integers(1, 2),  # titles
                    st.booleans(),  # noindex
                )
            )
        )
    ),
    st.integers(0, 10**6),
)
def test_the_groups_do_not_depend_on_the_order_in_which_pages_were_found(
    drawn: tuple[list[int], list[int], list[int], list[int], list[bool]], seed: int
) -> None:
    contents, points, texts, titles, noindex = drawn
    size = len(contents)
    order = list(range(size))
    random.Random(seed).shuffle(order)

    def groups(places: list[int]) -> set[frozenset[int]]:
        where = {place: now for now, place in enumerate(places)}
        pages = indexable(
            size,
            contents=[contents[place] for place in places],
            canonicals={now: where.get(points[place], size) for now, place in enumerate(places) if points[place] >= 0},
            noindex=[now for now, place in enumerate(places) if noindex[place]],
        )
        signatures = [(texts[place], 0.0) for place in places]
        stand = folded(pages, signatures, titles=[titles[place] for place in places]).representative
        shown = [now for now in range(size) if stand[now] != NO_PAGE]
        assert all(stand[stand[now]] == stand[now] for now in shown)
        assert {places[now] for now in shown} == {place for place in range(size) if not noindex[place]}
        found: dict[int, set[int]] = {}
        for now in shown:
            found.setdefault(int(stand[now]), set()).add(places[now])
        return {frozenset(group) for group in found.values()}

    assert groups(list(range(size))) == groups(order)
