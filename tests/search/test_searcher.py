"""Questions to a whole index: hits, their scores, titles and passages, and what is said of an index that is none."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hinterland.crawler.settings import SearchSettings
from hinterland.search.answers import (
    MOST_HITS,
    MOST_OFFSET,
    Fragment,
    Hit,
    IndexedRank,
    OtherQuery,
    QueryError,
    Rescue,
    SearchAnswer,
)
from hinterland.search.index.hit_view import SNIPPET_CHARACTERS
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.scoring import Candidates
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.index_failures import NoIndex
from hinterland.search.ranking import IndexedRanks
from hinterland.search.store.document_store import DocumentsUnreadable
from hinterland.search.store.fields import FORMAT
from tests.support.crawling import rows
from tests.support.search_site import LONG_TITLE, WORDS, indexed_site

pytestmark = pytest.mark.slow

NOBODY = IndexedRanks(np.empty(0, np.int64), np.empty(0))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> IndexFolder:
    return indexed_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def index(folder: IndexFolder) -> SearchIndex:
    return SearchIndex.open(folder.path)


@pytest.fixture
def copied(folder: IndexFolder, tmp_path: Path) -> IndexFolder:
    """To damage."""
    return IndexFolder(Path(shutil.copytree(folder.path, tmp_path / "copy.index")))


def paths(answer: SearchAnswer) -> list[str]:
    return ["/" + hit.url.split("/", 3)[3] for hit in answer.hits]


def text_of(fragments: tuple[Fragment, ...]) -> str:
    return "".join(fragment.text for fragment in fragments)


def marked(fragments: tuple[Fragment, ...]) -> set[str]:
    return {fragment.text.lower() for fragment in fragments if fragment.is_match}


def only_hit(answer: SearchAnswer) -> Hit:
    (hit,) = answer.hits
    return hit


def rescue_of(answer: SearchAnswer) -> Rescue:
    assert answer.rescue is not None
    return answer.rescue


# --- what is found ------------------------------------------------------------------------------


def test_pages_with_all_words_are_found(index: SearchIndex) -> None:
    answer = index.search("boat lamps", limit=100)
    assert {int(path[3:]) for path in paths(answer)} == {number for number in range(64) if number & 5 == 5}
    assert (answer.total, answer.is_exact, answer.notes) == (16, True, ())


def test_documents_are_what_the_crawl_says_they_are(index: SearchIndex) -> None:
    hit = only_hit(index.search("pebbles"))
    assert (hit.copies, hit.language, hit.host) == (1, "en", hit.url.removesuffix("/twin"))
    assert index.search("secret").total == 0
    assert index.search("title:secret").total == 0


def test_conditions_alone_are_a_question(index: SearchIndex) -> None:
    everything = index.search("since:2020")
    assert everything.total == len(index._state.terms) > 60
    assert paths(index.search("lang:de")) == ["/de"]
    assert index.search("site:ferry.example", limit=1).total == everything.total
    assert paths(index.search("site:ferry.example/de")) == ["/de"]
    assert index.search("since:2999").total == 0
    best = everything.hits[0]
    assert best.title
    assert best.snippet
    assert best.score == pytest.approx(sum(part.value for part in best.parts))


def test_if_few_pages_have_all_words_others_are_shown_and_a_note_says_so(index: SearchIndex) -> None:
    answer = index.search("boat winter scroll")
    assert answer.total == 50
    assert len(answer.hits[0].lacks) == 1
    assert answer.notes == ("no page has all 3 words, so pages that lack some are shown",)
    one = index.search("pebbles twice lamp")
    assert one.hits[0].url.endswith("/twin")
    assert index.search("pebbles twice").notes == ()  # nor would more be found
    assert index.search("pebbles same harbour twice").notes == (
        "no page has all 3 words, so pages that lack some are shown",  # "same" is a function word
    )


def having(path: str) -> set[str]:
    """The words of WORDS on a page /n/..."""
    number = int(path.removeprefix("/n/")) if path.startswith("/n/") else 0
    return {word for bit, word in enumerate(WORDS) if number >> bit & 1}


SEVERAL = st.lists(st.sampled_from(WORDS), min_size=3, max_size=6, unique=True)


@settings(max_examples=40)
@given(SEVERAL, st.integers(1, 12), st.integers(0, 40), st.booleans())
def test_of_three_words_or_more_pages_may_lack_some_and_scores_decide(
    index: SearchIndex, words: list[str], limit: int, offset: int, explain: bool
) -> None:
    whole = index.search(" ".join(words), limit=100)
    least = -(-len(words) // 3)
    assert whole.is_exact
    assert whole.total >= len(whole.hits) > 0
    for hit, path in zip(whole.hits, paths(whole), strict=True):
        if path.startswith("/n/"):
            assert set(hit.lacks) == set(words) - having(path)
        assert len(hit.lacks) <= len(words) - least
    scores = [hit.score for hit in whole.hits]
    assert scores == sorted(scores, reverse=True)
    part = index.search(" ".join(words), limit=limit, offset=offset, explain=explain)
    assert paths(part) == paths(whole)[offset : offset + limit]
    assert [hit.lacks for hit in part.hits] == [hit.lacks for hit in whole.hits[offset : offset + limit]]
    assert (part.total, part.is_exact, part.notes) == (whole.total, True, whole.notes)


def test_of_two_words_a_page_that_lacks_one_never_comes_before_one_that_has_both(
    folder: IndexFolder, index: SearchIndex
) -> None:
    query = "pebbles harbour"
    last = index.search(query, limit=100).hits[-1]
    favoured = IndexedRanks(np.array([last.page, 10**6]), np.array([1.0, 0.0]))
    answer = SearchIndex(folder, SearchSettings(rank_weight=500.0), ranks=favoured).search(query, limit=100)
    lacking = [bool(hit.lacks) for hit in answer.hits]
    assert lacking == sorted(lacking)
    assert max(answer.hits, key=lambda hit: hit.score).page == last.page


def test_with_and_no_page_lacks_a_word(index: SearchIndex) -> None:
    assert index.search("boat AND winter AND scroll").total == 0
    assert index.search("boat AND harbour", limit=100).total == index.search("boat harbour", limit=100).total


def test_a_star_stands_for_the_rest_of_a_word(index: SearchIndex) -> None:
    whole = set(paths(index.search("harbour", limit=100)))
    assert whole <= set(paths(index.search("harb*", limit=100)))
    assert index.search("zzqx*").total == 0


def test_what_was_insisted_on_is_never_lacking(index: SearchIndex) -> None:
    assert index.search('boat winter "no such phrase"').total == 0
    assert index.search("boat title:scroll winter").total == 0
    assert index.search("boat -winter scroll", limit=100).total > 0
    assert all("winter" not in text_of(hit.snippet) for hit in index.search("boat -winter scroll", limit=100).hits)


@pytest.mark.parametrize(
    "query",
    [
        *("boat", "boat harbour lamp", "the", "lang:en", "boat winter scroll", "site:ferry.example"),
        "boat harbour lamp keeper ticket",
    ],
)
@pytest.mark.parametrize("size", [1, 7])
def test_pages_of_results_are_parts_of_one_list(query: str, size: int, folder: IndexFolder) -> None:
    index = SearchIndex(folder, SearchSettings(), candidates=Candidates(first=1, most=30))
    whole = index.search(query, limit=30)
    assert whole.total > 10
    turned = [index.search(query, limit=size, offset=offset) for offset in range(0, 21, size)]
    assert [path for page in turned for path in paths(page)][:20] == paths(whole)[:20]
    assert {page.total for page in turned} == {whole.total}
    beyond = index.search(query, limit=10, offset=whole.total)
    assert (beyond.hits, beyond.total, beyond.offset) == ((), whole.total, whole.total)


@pytest.mark.parametrize(
    "options", [{"limit": 0}, {"limit": MOST_HITS + 1}, {"offset": -1}, {"offset": MOST_OFFSET + 1}]
)
def test_an_answer_has_its_bounds(options: dict[str, Any], index: SearchIndex) -> None:
    with pytest.raises(QueryError, match="limit has to be from 1 to 100 and offset from 0 to 1,000"):
        index.search("boat", **options)


# --- scores -------------------------------------------------------------------------------------

QUERIES = st.lists(
    st.sampled_from(
        [*WORDS, "the", "start", "-lamp", "title:boat", '"the boat"', "lang:en", "since:2020", "url:n", "nowhere"]
    ),
    min_size=1,
    max_size=5,
).map(" ".join)


@settings(max_examples=60)
@given(QUERIES, st.booleans())
def test_the_parts_add_up_to_the_score_and_the_order_is_that_of_the_scores(
    index: SearchIndex, query: str, explain: bool
) -> None:
    try:
        answer = index.search(query, limit=20, explain=explain)
    except QueryError:
        return
    by_score = [-hit.score for hit in answer.hits]
    by_lack = [(bool(hit.lacks), -hit.score) for hit in answer.hits]
    assert by_score == sorted(by_score) or by_lack == sorted(by_lack)
    assert answer.is_exact
    for hit in answer.hits:
        assert hit.score == pytest.approx(sum(part.value for part in hit.parts), rel=1e-9)
        by_name = {part.name: part.value for part in hit.parts}
        assert 0 <= by_name["rank"] <= SearchSettings().rank_weight
        assert abs(by_name.get("rounding", 0.0)) <= 1e-5 * max(hit.score, 1.0)
        assert len(by_name) == len(hit.parts)


def test_the_parts_are_told_by_field_with_the_formula_of_the_rank(index: SearchIndex) -> None:
    hit = index.search("boat", limit=1, explain=True).hits[0]
    details = {part.name: part.detail for part in hit.parts}
    assert details["words"].endswith("the texts that name the page, times 2")
    assert details["names"].endswith("more for all words in a title or in a row, times 1")
    assert details["rank"].endswith("times the average: 4 S^a / (1^a + S^a), a = 0.6")


@pytest.mark.parametrize(
    "changes, detail",
    [
        ({"rank_weight": 0.0}, "0 S^a"),
        ({"rank_source": "none"}, "PageRank is switched off"),
        ({"rank_source": "site"}, "within the site"),
    ],
)
def test_pagerank_counts_as_the_settings_say(changes: dict[str, Any], detail: str, folder: IndexFolder) -> None:
    index = SearchIndex(folder, SearchSettings(**changes))
    hit = index.search("boat").hits[0]
    rank = next(part for part in hit.parts if part.name == "rank")
    assert detail in rank.detail
    assert (rank.value > 0) == ("rank_source" in changes and changes["rank_source"] == "site")


def test_the_rank_of_a_page_among_all_documents_is_told(folder: IndexFolder) -> None:
    ranks = IndexedRanks(np.array([2, 5, 9]), np.array([3.0, 1.0, 2.0]))
    index = SearchIndex(folder, SearchSettings(), ranks=ranks)
    assert index.rank_of(2) == IndexedRank(1, 3, 1.5, True, index.manifest.estimator)
    assert index.rank_of(5) == IndexedRank(3, 3, 0.5, True, index.manifest.estimator)
    assert index.rank_of(7) is None
    assert SearchIndex(folder, SearchSettings(rank_source="site"), ranks=ranks).rank_of(9) == IndexedRank(
        2, 3, 1.0, False, index.manifest.estimator
    )


def test_given_ranks_take_the_place_of_the_index_s_own(folder: IndexFolder, index: SearchIndex) -> None:
    pages = index.ranking("title:boat", 100).pages
    favourite = int(pages[-1])
    given_ranks = IndexedRanks(np.array([favourite, 10**6]), np.array([1.0, 0.0]))
    other = SearchIndex(folder, SearchSettings(rank_weight=50.0), ranks=given_ranks)
    assert other.ranking("title:boat", 1).pages.tolist() == [favourite]
    without = SearchIndex(folder, SearchSettings(), ranks=NOBODY).search("boat").hits[0]
    assert "the index has no PageRank" in {part.detail for part in without.parts}


# --- titles and passages ------------------------------------------------------------------------


def test_titles_and_passages_mark_what_matches(index: SearchIndex) -> None:
    hit = only_hit(index.search("fähre übersee"))
    assert [text_of(hit.title), *marked(hit.title)] == ["Fähren", "fähren"]
    assert marked(hit.snippet) == {"fähren", "übersee"}
    assert marked(only_hit(index.search("北京")).title) == {"北京"}


def test_titles_are_marked_only_if_marks_are_wanted(index: SearchIndex) -> None:
    hit = only_hit(index.search("fähre übersee", marks_titles=False))
    assert [(piece.text, piece.is_match) for piece in hit.title] == [("Fähren", False)]
    assert marked(hit.snippet) == {"fähren", "übersee"}


def test_long_titles_are_cut_between_words_and_say_so(index: SearchIndex) -> None:
    title = text_of(only_hit(index.search("title:scroll")).title)
    assert title.startswith("Scroll: A title, and")
    assert title.endswith(" …")
    assert len(title) <= 302
    assert f"Scroll: {LONG_TITLE}".startswith(title[:-2])


@pytest.mark.parametrize(
    "query, beginning",
    [
        ("url:long", "A lengthy scroll. It goes on"),
        ("url:zh", "我爱北京天安门。我爱"),
        ("url:described", "A quiet lagoon"),
        ("lagoon", "A quiet lagoon"),
        ("url:untitled", "An anonymous letter"),
    ],
)
def test_a_passage_is_shown_even_if_no_word_of_it_was_asked_for(query: str, beginning: str, index: SearchIndex) -> None:
    snippet = text_of(only_hit(index.search(query)).snippet)
    assert snippet.startswith(beginning)
    assert len(snippet) <= SNIPPET_CHARACTERS + 2


def test_the_words_of_a_page_that_answer_are_told_as_they_stand_there(index: SearchIndex) -> None:
    [hit] = index.search("lamp", limit=1).hits
    text = "Lamps burn. A LAMP, lit by lampwrights."
    assert index.matched_words("lamp -burn", hit.page, text) == {"lamps", "lamp"}
    assert index.matched_words("nowhere", hit.page, text) == frozenset()


def test_a_hit_names_the_section_that_answers_and_shows_its_text(index: SearchIndex) -> None:
    hit = only_hit(index.search("ash oil"))
    assert (hit.section, hit.anchor) == ("Oars", "oars")
    assert hit.section_url == f"{hit.url}#oars"
    assert text_of(hit.snippet).startswith("Oars are of ash")
    assert "gear" not in text_of(hit.snippet)


def test_a_section_that_no_url_leads_to_is_named_without_a_link(index: SearchIndex) -> None:
    hit = only_hit(index.search("rudder"))
    assert (hit.section, hit.anchor, hit.section_url) == ("Rudders", "", hit.url)


def test_a_hit_names_no_section_if_the_page_is_about_the_query(index: SearchIndex) -> None:
    hit = only_hit(index.search("gear"))
    assert (hit.section, hit.anchor, hit.section_url) == ("", "", hit.url)


def test_a_page_without_a_title_has_none(index: SearchIndex) -> None:
    assert only_hit(index.search("anonymous")).title == ()


# --- any text as a query ------------------------------------------------------------------------


PIECES = st.sampled_from(
    [
        *("site:", "title:", "url:", "lang:", "since:", "-", '"', " ", " ", ":", "/", "://", ".", "*", "%", "@"),
        *("boat", "the", "ferry.example", "FERRY.example:443", "bücher.example", "/n/5", "2026", "30d", "en", "c++"),
        *("שלום", "مرحبا", "e\u0301", "\u0301", "\u200d", "\u202e", "北京", "ไทย", "ǅ", "ﬁ", "İ", "\x00", "\ud800"),
        *("[", "]", "🛳"),
    ]
)


@settings(max_examples=150)
@given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(st.characters(codec=None), max_size=60)))
@example(" ".join(f"w{number}" for number in range(10_000)))
@example(" ".join(f"{number}" for number in range(500)))
@example("e" + "\u0301" * 1_999)
@example("a." * 999)
@example("since:" + "9" * 1_900 + "y boat")
@example('"' * 2_000)
@example("北" * 2_000)
@example("\udcff boat")
@example("title:" * 300)
@example(" ".join(f"w{number} -x{number}" for number in range(32)))
def test_any_text_is_answered_or_refused(index: SearchIndex, query: str) -> None:
    try:
        answer = index.search(query, explain=True)
    except QueryError:
        return  # what it says, test_query_language.py looks at
    assert len(answer.hits) == min(answer.total, 10)
    assert sum(not hit.lacks for hit in answer.hits) == len([*takewhile(lambda hit: not hit.lacks, answer.hits)])


# --- an index that changes or is none -----------------------------------------------------------


def test_an_index_that_was_written_again_is_taken_up(folder: IndexFolder, tmp_path: Path) -> None:
    from hinterland.search.index.building import build

    here = IndexFolder(tmp_path / "changing.index")
    store = Path(shutil.copy(folder.path.with_name("site.db"), tmp_path / "changing.db"))
    build(store, here, estimator="crawled-graph")
    index = SearchIndex.open(here.path)
    assert not index.refresh()
    (page,) = (number for (number,) in rows(store, "SELECT id FROM page WHERE url LIKE '%/de'"))
    assert paths(index.search("lang:de")) == ["/de"]
    forget(store, page)
    report = build(store, here, estimator="crawled-graph")
    assert (report.removed, report.unchanged) == (1, index.manifest.documents - 1)
    assert index.search("lang:de").total == 1
    assert index.refresh()
    assert index.search("lang:de").total == 0
    assert index.manifest.documents == report.documents
    shutil.rmtree(here.path)
    with pytest.raises(NoIndex, match="there is no index"):
        index.refresh()


def forget(store: Path, page: int) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE fetch SET is_noindex = 1 WHERE page = ?", (page,))


def test_without_ranks_the_text_alone_counts(copied: IndexFolder) -> None:
    copied.ranks.unlink()
    hit = SearchIndex.open(copied.path).search("boat").hits[0]
    assert {part.name: part.value for part in hit.parts}["rank"] == 0.0
    assert "the index has no PageRank" in {part.detail for part in hit.parts}


def test_while_the_first_build_goes_on_answers_say_so(copied: IndexFolder) -> None:
    manifest = json.loads(copied.manifest.read_text())
    copied.manifest.write_text(json.dumps({**manifest, "built_at": 0.0}))
    assert SearchIndex.open(copied.path).search("boat").notes == (
        "the index is incomplete: its first build has not ended",
    )


def test_until_it_is_built_again_an_index_of_an_earlier_version_says_so(copied: IndexFolder) -> None:
    manifest = json.loads(copied.manifest.read_text())
    assert SearchIndex.open(copied.path).search("boat").notes == ()
    for version in ({}, {"document_version": manifest.pop("document_version") - 1}):
        copied.manifest.write_text(json.dumps({**manifest, **version}))
        assert SearchIndex.open(copied.path).search("boat").notes == (
            "an earlier version built the index, so some words may not be found; run `index` to update it",
        )


def run_of(store: Path, progress: dict[str, int]) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(
            "INSERT INTO run (started_at, command, settings, progress, updated_at) VALUES (2e9, '[]', '{}', ?, 2e9)",
            (json.dumps(progress),),
        )


@pytest.mark.parametrize(
    "progress, note",
    [
        ({"visits": 3}, "the crawl has continued since the index was built; run `index` to update it"),
        ({}, "the crawl has continued since the index was built; run `index` to update it"),
        ({"visits": 0}, None),
    ],
    ids=["visits", "an import", "nothing to do"],
)
def test_an_answer_says_when_the_store_is_newer_than_its_index(
    progress: dict[str, int], note: str | None, folder: IndexFolder, copied: IndexFolder, tmp_path: Path
) -> None:
    store = Path(shutil.copy(folder.path.with_name("site.db"), tmp_path / "here.db"))
    index = SearchIndex(copied, SearchSettings(), store=store)
    assert index.search("boat").notes == ()
    run_of(store, progress)
    assert index.search("boat").notes == ((note,) if note else ())
    store.unlink()
    assert index.search("boat").notes == ()  # an index serves without its store


def test_a_store_that_nobody_writes_is_looked_into_again_when_it_has_changed(
    folder: IndexFolder, copied: IndexFolder, tmp_path: Path
) -> None:
    store = Path(shutil.copy(folder.path.with_name("site.db"), tmp_path / "here.db"))
    index = SearchIndex(copied, SearchSettings(), store=store)
    os.utime(store, (1e9, 1e9))
    assert [index.search("boat").notes for _ in range(2)] == [(), ()]
    run_of(store, {"visits": 3})
    os.utime(store, (1e9 + 60, 1e9 + 60))
    said = [index.search("boat").notes for _ in range(2)]
    assert said == 2 * [("the crawl has continued since the index was built; run `index` to update it",)]


def test_an_answer_says_when_the_store_was_replaced_by_another(copied: IndexFolder, tmp_path: Path) -> None:
    from tests.support.stored_pages import Page, write_store

    store = write_store(tmp_path / "other.db", [Page("words")])
    [note] = SearchIndex(copied, SearchSettings(), store=store).search("boat").notes
    assert note.startswith(f"the index was built from a different crawl from the one in {store}; run `index`")


def overwrite(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda index: shutil.rmtree(index.path), "there is no index in .*copy.index"),
        (lambda index: index.manifest.unlink(), "there is no index in .*copy.index"),
        (lambda index: index.manifest.write_bytes(b"{"), "cannot be read .*index --rebuild"),
        (lambda index: index.manifest.write_bytes(b"[]"), "cannot be read .*index --rebuild"),
        (lambda index: index.manifest.write_bytes(b"\xff"), "cannot be read .*index --rebuild"),
        (lambda index: index.manifest.write_text(json.dumps({"format": FORMAT})), "cannot be read .*index --rebuild"),
        (
            lambda index: index.manifest.write_text(json.dumps({"format": 99, "new": 1})),
            "format 99, this version reads",
        ),
        (lambda index: shutil.rmtree(index.terms), "there are no terms in .*index --rebuild"),
        (lambda index: (index.terms / "meta.json").write_bytes(b"?"), "cannot be read: .*index --rebuild"),
        (lambda index: overwrite(index.ranks, b""), "ranks.npz cannot be read .*run `index` to write it again"),
        (lambda index: overwrite(index.ranks, b"no arrays"), r"ranks\.npz cannot be read \(not an \.npz file\)"),
        (lambda index: overwrite(index.ranks, b"PK\x03\x04 no archive"), "ranks.npz cannot be read"),
        (lambda index: np.savez(index.ranks, web=np.ones(3)), "ranks.npz cannot be read"),
        (lambda index: index.documents.unlink(), "documents.db cannot be read: .*index --rebuild"),
        (lambda index: overwrite(index.documents, b"no database" * 100), "documents.db cannot be read: "),
        (lambda index: overwrite(index.documents, b""), "documents.db cannot be read: "),
    ],
)
def test_what_is_wrong_with_an_index_is_said_with_the_way_out(
    damage: Callable[[IndexFolder], object], message: str, copied: IndexFolder
) -> None:
    damage(copied)
    with pytest.raises(NoIndex, match=message) as refused:
        SearchIndex.open(copied.path).search("boat")
    assert not isinstance(refused.value, DocumentsUnreadable)


def make_unwritable(index: IndexFolder) -> None:
    """Put folders where locks would be written: who runs the tests may be allowed to write everywhere."""
    for lock in (index.terms / ".tantivy-meta.lock", index.path / "documents.db-shm"):
        lock.unlink(missing_ok=True)
        lock.mkdir()


def test_an_index_on_a_medium_that_cannot_be_written_is_searched_like_any_other(
    index: SearchIndex, copied: IndexFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    make_unwritable(copied)
    unwritable = SearchIndex.open(copied.path)
    for query in ("boat", "boat lmap", "site:nowhere.example"):
        assert unwritable.search(query).hits == index.search(query).hits
    assert unwritable.search("boat").hits
    assert unwritable.search("boat", with_facets=True).facets == index.search("boat", with_facets=True).facets
    assert not list((tmp_path / "temporary").iterdir())


def test_an_index_whose_folder_is_a_link_is_searched_where_it_cannot_be_written(
    copied: IndexFolder, tmp_path: Path
) -> None:
    make_unwritable(copied)
    (tmp_path / "link").symlink_to(copied.path)
    assert SearchIndex.open(tmp_path / "link").search("boat").hits


def test_a_damaged_index_that_cannot_be_written_is_to_be_made_elsewhere(
    copied: IndexFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_unwritable(copied)
    (copied.terms / "meta.json").write_bytes(b"?")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(NoIndex, match="build another index where you have write access: `index FILE --index FOLDER`"):
        SearchIndex.open(copied.path).search("boat")


# --- queries that no page answers -----------------------------------------------------------------


def test_a_query_that_pages_answer_is_never_corrected(index: SearchIndex) -> None:
    assert index.search("boat lamps").rescue is None
    assert index.search("pebbles").rescue is None


def test_a_misspelt_word_is_answered_as_it_was_meant(index: SearchIndex) -> None:
    answer, meant = index.search("boat lmap", limit=100), index.search("boat lamp", limit=100)
    assert rescue_of(answer) == Rescue("boat lamp", (), ("lmap",), ())
    assert (answer.query, answer.hits, answer.total, answer.notes) == ("boat lmap", meant.hits, meant.total, ())
    assert index.search("boat lmap", offset=10).hits == meant.hits[10:20]


def test_verbatim_a_misspelt_word_is_asked_for_as_it_is(index: SearchIndex) -> None:
    assert index.search("lmap", verbatim=True).total == 0
    assert index.search("boat lmap", verbatim=True).hits[0].lacks == ("lmap",)


def test_words_in_another_language_are_corrected_among_its_pages(index: SearchIndex) -> None:
    assert rescue_of(index.search("winer lang:de")).corrected == "winter lang:de"
    assert rescue_of(index.search("lagon lang:de")).corrected == ""


def test_without_hits_the_query_is_asked_without_its_conditions(index: SearchIndex) -> None:
    rescue = rescue_of(index.search("boat -lamp site:nowhere.example"))
    assert rescue.wider == (OtherQuery("boat -lamp", 16),)


def test_an_index_of_an_earlier_version_has_no_corrections_and_says_what_adds_them(copied: IndexFolder) -> None:
    copied.words.unlink()
    answer = SearchIndex.open(copied.path).search("lmap")
    assert (answer.total, rescue_of(answer).corrected) == (0, "")
    assert "run `index` to add them" in answer.notes[0]
    assert SearchIndex.open(copied.path).search("lamp").notes == ()


def test_damaged_words_are_an_error_only_for_a_query_that_needs_them(copied: IndexFolder) -> None:
    copied.words.write_bytes(b"damaged")
    index = SearchIndex.open(copied.path)
    assert index.search("lamp").total == 32
    with pytest.raises(NoIndex, match=r"words\.npz cannot be read .*run `index` to write it again"):
        index.search("lmap")
