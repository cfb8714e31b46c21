"""Pages that match are counted as SQL counts them over the store; no site fills a page; the latest come first."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import formatdate
from pathlib import Path

import pytest

from hinterland.crawler.settings import SearchSettings
from hinterland.search.answers import QueryError, SearchAnswer
from hinterland.search.grouping import BLOCK, MOST_OF_SITE, PAGE, last_of_sites, spread, spread_in_blocks
from hinterland.search.index.building import build
from hinterland.search.index.index_folder import default_folder
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.narrowing import narrowed, narrowed_by
from hinterland.search.query_language import understand
from tests.support.crawling import rows
from tests.support.stored_pages import Page, essay, write_store

pytestmark = pytest.mark.slow

WORDS = ("boat", "harbour", "lamp", "keeper")
HOSTS = ("http://www.a.test", "http://docs.a.test", "http://b.test", "http://c.test")
TYPES = ("text/html", "text/html; charset=utf-8", "application/pdf", "text/plain")
PAGES = 120


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    dice = random.Random(3)
    pages = [
        Page(
            " ".join([essay(number, 40), *dice.sample(WORDS, dice.randrange(1, 4))]),
            f"Title {number}",
            host=dice.choice((0, 0, 0, 1, 1, 2, 3)),
        )
        for number in range(PAGES)
    ]
    path = write_store(tmp_path_factory.mktemp("facets") / "store.db", pages, HOSTS)
    with closing(sqlite3.connect(path)) as connection, connection:
        for number in range(PAGES):
            dated = datetime(2018 + dice.randrange(5), 3, 4, tzinfo=UTC).timestamp()
            connection.execute(
                "UPDATE fetch SET language = ?, content_type = ?, last_modified = ?, started_at = 1.78e9"
                " WHERE page = ?",
                (
                    dice.choice(("en", "de", "fr")),
                    dice.choice(TYPES),
                    dice.choice((formatdate(dated, usegmt=True), None, "soon")),
                    number,
                ),
            )
            folder = dice.choice(("guide", "guide/more", "news"))
            connection.execute(
                "UPDATE page SET url = (SELECT url FROM host WHERE id = page.host) || ? WHERE id = ?",
                (f"/{folder}/{number}", number),
            )
            if number % 3:
                connection.execute("INSERT INTO relevance VALUES (?, ?, NULL)", (number, dice.random()))
        connection.execute("UPDATE host SET site = 'a.test' WHERE id < 2")
        connection.execute("INSERT INTO topic (id, name) VALUES (1, 'seafaring')")
    return path


@pytest.fixture(scope="module")
def index(store: Path) -> SearchIndex:
    build(store, default_folder(store))
    return SearchIndex(default_folder(store), SearchSettings(), store=store)


def all_hits(index: SearchIndex, query: str) -> list[int]:
    return [hit.page for offset in (0, 100) for hit in index.search(query, limit=100, offset=offset).hits]


def facet(answer: SearchAnswer, name: str) -> dict[str, int]:
    found = {each.name: each for each in answer.facets}
    return {each.value: each.pages for each in found[name].values} if name in found else {}


def by_sql(store: Path, pages: list[int], expression: str) -> dict[str, int]:
    marks = ",".join(map(str, pages))
    sql = (
        f"SELECT CAST({expression} AS TEXT) AS value, count(*) FROM page JOIN host ON host.id = page.host"
        " JOIN fetch ON fetch.page = page.id LEFT JOIN relevance ON relevance.page = page.id"
        f" WHERE page.id IN ({marks}) AND value IS NOT NULL GROUP BY value"
    )
    return dict(rows(store, sql))


YEAR = "iif(last_modified LIKE '%GMT', substr(last_modified, 13, 4), NULL)"
TYPE = "replace(replace(substr(content_type, 1, 15), 'text/', ''), 'application/', '')"
QUERIES = [
    *WORDS,
    *(f"{word} {other}" for word in WORDS for other in WORDS if word < other),
    *(f"{word} -{other}" for word in WORDS for other in WORDS if word != other),
    "lang:de",
    "boat lang:fr",
    "keeper year:2020",
    "type:pdf",
    "topic:seafaring lamp",
    "since:2020 boat",
]


@pytest.mark.parametrize("query", QUERIES)
def test_counts_are_those_of_sql(query: str, store: Path, index: SearchIndex) -> None:
    answer = index.search(query, with_facets=True)
    pages = all_hits(index, query)
    assert len(pages) == answer.total
    wanted = {
        "site": "host.site",
        "language": "fetch.language",
        "type": f"CASE {TYPE} WHEN 'html; char' THEN 'html' WHEN 'plain' THEN 'text' ELSE {TYPE} END",
        "year": YEAR,
        "topic": "iif(probability >= 0.5, 'seafaring', NULL)",
    }
    for name, expression in wanted.items():
        if found := facet(answer, name):
            assert found == by_sql(store, pages, expression), name
    shown = {each.name for each in answer.facets}
    assert shown >= ({"site", "language", "type", "year"} if query in WORDS else set())


def test_each_value_is_a_query_that_finds_that_many(index: SearchIndex) -> None:
    answer = index.search("boat", with_facets=True)
    assert {each.name for each in answer.facets} == {"site", "language", "type", "year", "topic"}
    for each in answer.facets:
        for value in each.values:
            assert index.search(value.query).total == value.pages, value


def test_a_site_is_parted_into_hosts_and_a_host_into_folders(store: Path, index: SearchIndex) -> None:
    hosts = facet(index.search("boat site:a.test", with_facets=True), "host")
    assert set(hosts) == {"www.a.test", "docs.a.test"}
    answer = index.search("boat site:www.a.test", with_facets=True)
    folders = facet(answer, "folder")
    assert set(folders) == {"www.a.test/guide", "www.a.test/news"}
    pages = all_hits(index, "boat site:www.a.test")
    assert folders == by_sql(store, pages, "'www.a.test/' || iif(page.url LIKE '%/guide/%', 'guide', 'news')")
    assert sum(folders.values()) == answer.total
    [facets] = [each for each in answer.facets if each.name == "folder"]
    assert facets.values[0].query == f"site:{facets.values[0].value} boat"


def test_the_latest_come_first_and_what_bears_no_date_is_left_out(store: Path, index: SearchIndex) -> None:
    answer = index.search("boat", limit=50, order="date")
    dates = [hit.dated for hit in answer.hits]
    assert dates == sorted(dates, key=lambda each: -(each or 0))
    assert answer.total == sum(by_sql(store, all_hits(index, "boat"), YEAR).values()) == len(dates)
    assert "only pages with a date" in " ".join(answer.notes)


def test_a_page_without_a_date_is_since_it_was_fetched(store: Path, index: SearchIndex) -> None:
    every = all_hits(index, "boat")
    old = sum(count for year, count in by_sql(store, every, YEAR).items() if int(year) < 2020)
    assert index.search("boat since:2020").total == len(every) - old


@pytest.mark.parametrize(
    "query, problem",
    [
        ("topic:gardening", "topic:gardening is not the topic of these pages; their topic is seafaring"),
        ("boat year:lately", "year:lately is not a year"),
        ("boat -type:pdf", "-type: is not supported"),
    ],
)
def test_what_cannot_be_narrowed_so_is_said(query: str, problem: str, index: SearchIndex) -> None:
    with pytest.raises(QueryError, match=problem):
        index.search(query)


# --- no site fills a page --------------------------------------------------------------------------


def test_a_page_has_two_of_a_site_while_there_are_others(index: SearchIndex) -> None:
    plain, grouped = index.search("boat"), index.search("boat", grouped=True)
    assert max(Counter(hit.site for hit in plain.hits).values()) > 4
    counts = Counter(hit.site for hit in grouped.hits)
    assert len(counts) == 3
    assert [hit.site for hit in grouped.hits if hit.is_last_of_site]
    assert grouped.hits[0].page == plain.hits[0].page
    pages = [hit.page for offset in range(0, 120, 10) for hit in index.search("boat", offset=offset, grouped=True).hits]
    assert sorted(pages) == sorted(all_hits(index, "boat"))
    narrow = [hit.page for hit in index.search("boat site:a.test", grouped=True).hits]
    assert narrow == [hit.page for hit in index.search("boat site:a.test").hits]


def test_hits_are_spread_so_that_all_come_once_and_two_of_a_site_at_most_while_others_are_left() -> None:
    dice = random.Random(4)
    for _ in range(50):
        sites = [f"s{min(int(dice.expovariate(0.6)), 9)}" for _ in range(dice.randrange(1, 4 * PAGE))]
        order = spread(sites)
        assert sorted(order) == list(range(len(sites)))
        for begin in range(0, len(order), PAGE):
            page, later = order[begin : begin + PAGE], order[begin + PAGE :]
            assert page == sorted(page)
            counts = Counter(sites[place] for place in page)
            if max(counts.values()) > MOST_OF_SITE:
                assert all(counts[sites[place]] >= MOST_OF_SITE for place in later)
    assert spread_in_blocks(["a"] * 3 + ["b"], 3) == [0, 1, 2, 3]
    assert spread_in_blocks(["a"] * (BLOCK + 1), BLOCK + 1) == list(range(BLOCK + 1))
    assert last_of_sites(["a", "a", "b", "a"], [0, 1, 2], [3]) == {1}


def test_conditions_are_added_and_taken_away() -> None:
    assert narrowed("boat site:a.test", "site", "a.test/guide") == "site:a.test/guide boat"
    assert narrowed("boat site:a.test OR Site:b.test", "site", "a.test/guide") == "site:a.test/guide boat"
    assert narrowed("boat", "topic", "deep sea") == 'topic:"deep sea" boat'
    assert narrowed_by('boat lang:de topic:"deep sea"') == [
        ("lang:de", 'boat topic:"deep sea"'),
        ('topic:"deep sea"', "boat lang:de"),
    ]
    assert narrowed_by("boat lang:de OR lang:fr") == [
        ("lang:de", "boat lang:fr"),
        ("lang:fr", "boat lang:de"),
    ]


@pytest.mark.parametrize("query", ["ferry NOT", '"the island', "“the island", "ferry OR", "ferry -"])
def test_a_condition_is_one_whatever_the_query_ends_with(query: str) -> None:
    before, after = (understand(text, now=0.0).terms for text in (query, narrowed(query, "site", "a.test")))
    assert after == replace(before, sites=("a.test",))


def test_what_is_quoted_or_left_out_is_no_condition_to_be_taken_away() -> None:
    assert narrowed_by('"how to use site:foo.test bar" x') == []
    assert narrowed_by("ferry NOT site:foo.test boat") == narrowed_by("ferry -site:foo.test boat") == []
    assert narrowed('"use site:foo.test" NOT site:b.test', "site", "a.test") == (
        'site:a.test "use site:foo.test" NOT site:b.test'
    )
