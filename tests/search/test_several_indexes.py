"""Several indexes searched as one: order, counts, corrections and suggestions over all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from email.utils import formatdate
from pathlib import Path

import pytest

from hinterland.cli.commands import main
from hinterland.crawler.settings import SearchSettings
from hinterland.search.answers import QueryError, SearchAnswer
from hinterland.search.index.building import build
from hinterland.search.index.index_folder import default_folder
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.index.several_indexes import SeveralIndexes
from tests.support.stored_pages import Page, essay, write_store

pytestmark = pytest.mark.slow

COAST, ISLAND = "http://coast.test", "http://island.test"
ON_COAST = [
    Page(f"{essay(number, 30)} boat {('harbour', 'keeper')[number % 2]} {'lamp ' * (number % 4)}", f"Coast {number}")
    for number in range(24)
]
ON_ISLAND = [
    Page(f"{essay(100, 30)} boat and boat", "Boats of the island"),
    Page(f"{essay(101, 30)} a harbour", "The volcano and the lighthouse"),
    Page(f"{essay(102, 30)} lagoon with a lamp", "An island of lamps"),
]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("several")
    coast = write_store(folder / "coast.db", ON_COAST, [COAST])
    island = write_store(folder / "island.db", ON_ISLAND, [ISLAND])
    for store, page, day in ((coast, 3, 18_000), (island, 0, 18_001), (coast, 4, 18_002)):
        with closing(sqlite3.connect(store)) as connection, connection:
            modified = formatdate(86_400.0 * day, usegmt=True)
            connection.execute(
                "UPDATE fetch SET last_modified = ?, started_at = 1.78e9 WHERE page = ?", (modified, page)
            )
    for store in (coast, island):
        build(store, default_folder(store))
    return coast, island


def opened(store: Path) -> SearchIndex:
    return SearchIndex(default_folder(store), SearchSettings(), store=store)


@pytest.fixture(scope="module")
def both(stores: tuple[Path, Path]) -> SeveralIndexes:
    return SeveralIndexes([opened(store) for store in stores])


def hosts(answer: SearchAnswer) -> set[str]:
    return {hit.host for hit in answer.hits}


def places(answer: SearchAnswer) -> list[str]:
    return [hit.url for hit in answer.hits]


def test_hits_of_all_come_in_one_order_with_their_stores_and_page_after_page(
    both: SeveralIndexes, stores: tuple[Path, Path]
) -> None:
    alone = [opened(store).search("boat", limit=100) for store in stores]
    answer = both.search("boat", limit=100)
    assert answer.total == sum(each.total for each in alone) == len(answer.hits) == 25
    assert {hit.store for hit in answer.hits} == {str(store) for store in stores}
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    assert [url for offset in (0, 10, 20) for url in places(both.search("boat", offset=offset))] == places(answer)
    explained = both.search("boat", explain=True).hits[0]
    assert sum(part.value for part in explained.parts) == pytest.approx(scores[0], rel=1e-5)


def test_a_word_weighs_by_how_rare_it_is_in_all(stores: tuple[Path, Path]) -> None:
    """Two of three pages of the island have the word, and none of the coast: by itself it says little there."""
    coast, island = map(opened, stores)
    alone = island.search("island", limit=1).hits[0].score
    assert SeveralIndexes([coast, island]).search("island", limit=1).hits[0].score > 1.5 * alone
    twice = SeveralIndexes([opened(stores[1]), opened(stores[1])]).search("island")
    assert [hit.score for hit in twice.hits[::2]] == [hit.score for hit in twice.hits[1::2]]


def test_pages_that_lack_a_word_come_after_those_of_any_index_that_have_all(both: SeveralIndexes) -> None:
    answer = both.search("harbour lighthouse", limit=100)
    assert places(answer)[0] == f"{ISLAND}/1"
    assert not answer.hits[0].lacks
    assert all(hit.lacks == ("lighthouse",) for hit in answer.hits[1:])
    assert hosts(answer) == {COAST, ISLAND}
    assert not any(hit.lacks for hit in both.search("boat harbour", limit=100).hits), "enough have both in one of them"


def test_no_query_is_corrected_that_any_index_answers(both: SeveralIndexes) -> None:
    assert both.search("volcano").rescue is None
    wrong = both.search("volcamo lighthuose")
    assert wrong.rescue is not None
    assert (wrong.rescue.corrected, wrong.rescue.unknown) == ("volcano lighthouse", ("volcamo", "lighthuose"))
    assert places(wrong) == [f"{ISLAND}/1"]
    nothing = both.search("volcamo", verbatim=True)
    assert (nothing.total, nothing.rescue and nothing.rescue.corrected) == (0, "")


def test_counts_sites_dates_and_suggestions_are_those_of_all(both: SeveralIndexes) -> None:
    answer = both.search("boat", grouped=True, with_facets=True)
    counts = {facet.name: {each.value: each.pages for each in facet.values} for facet in answer.facets}
    assert counts["site"] == {"coast.test": 24, "island.test": 1}
    assert hosts(answer) == {COAST, ISLAND}
    assert any(hit.is_last_of_site for hit in answer.hits)
    assert places(both.search("boat", order="date")) == [f"{COAST}/4", f"{ISLAND}/0", f"{COAST}/3"]
    assert both.suggest("volc") == ["The volcano and the lighthouse"]
    with pytest.raises(QueryError, match="limit has to be from 1"):
        both.search("boat", limit=0)


def test_the_command_searches_all_and_names_an_index_that_is_not_there(
    stores: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    coast, island = map(str, stores)
    assert main(["search", coast, "volcano", "--also", island]) == 0
    assert f"{ISLAND}/1\n     in {island}" in capsys.readouterr().out
    assert main(["search", coast, "boat", "--also", str(tmp_path / "none.db")]) == 3
    assert f"run.py index {tmp_path / 'none.db'}" in capsys.readouterr().err


@pytest.mark.parametrize("command", [("search", "volcano"), ("serve", "--host", "no..host")])
def test_a_store_that_is_named_twice_by_whatever_path_is_refused(
    command: tuple[str, ...], stores: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    coast, island = map(str, stores)
    (tmp_path / "link.db").symlink_to(coast)
    for others in ([coast], [str(tmp_path / "link.db")], [island, island]):
        also = [part for other in others for part in ("--also", other)]
        assert main([command[0], coast, *command[1:], *also]) == 2
        assert f"--also {others[-1]}: that store is searched already" in capsys.readouterr().err
