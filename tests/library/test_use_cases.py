"""Functions for programs do what the commands do: they return values, print nothing, and raise errors of their own."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import hinterland
from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.errors import HinterlandError, StoreUnusable, UnknownName
from tests.support.hinterland import overrides
from tests.support.web import LoopbackWeb
from tests.support.web_thread import served

RULES = """\
[item]
pages = "**/item/*"
[item.fields]
name = "h1"
"""


@pytest.fixture(scope="module")
def web() -> Iterator[LoopbackWeb]:
    with served(LoopbackWeb()) as web:
        for number in range(3):
            html = f"<h1>Item {number}</h1><p>a ferry to the islands</p><a href=/item/{number + 1}>next</a>"
            web.page("a.test", f"/item/{number}", html=html)
        yield web


@pytest.fixture(scope="module")
def settings(web: LoopbackWeb) -> dict[str, str]:
    return dict(override.split("=", 1) for override in overrides(web, "storage.keep_bodies=true"))


@pytest.fixture(scope="module")
def store(web: LoopbackWeb, settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("store") / "s.db"
    warc = store.with_name("warc")
    ending = hinterland.crawl(web.url("a.test", "/item/0"), store, settings=settings, warc=warc)
    assert ending.reason is EndReason.EXHAUSTED
    return store


@pytest.fixture(autouse=True)
def nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capfd.readouterr() == ("", "")


def test_rank_tells_the_places_and_stores_the_ranks(store: Path) -> None:
    steps: list[str] = []
    answer = hinterland.rank(store, top=2, on_step=steps.append)
    assert [row.position for row in answer.rows(answer.top)] == [1, 2]
    assert not answer.not_stored
    assert steps == ["links", "PageRank"]
    with hinterland.Store(store) as opened:
        assert opened.reader.ranks.estimators()
    with pytest.raises(UnknownName, match='the nearest is "outside-model"'):
        hinterland.rank(store, estimator="outsidemodel")


def test_extract_makes_records_and_an_export_hands_them_on(store: Path, tmp_path: Path) -> None:
    rules = tmp_path / "items.toml"
    rules.write_text(RULES)
    seen: list[tuple[int, int]] = []
    report = hinterland.extract(store, rules=rules, on_progress=lambda done, of: seen.append((done, of)))
    assert (report.pages, report.records, report.tables) == (3, 3, ["item"])
    assert seen[-1] == (3, 3)
    stream = io.BytesIO()
    exported = hinterland.export(store, "jsonl", stream, table="item")
    assert (exported.written.count, exported.target) == (3, "")
    assert {json.loads(line)["name"] for line in stream.getvalue().splitlines()} == {f"Item {n}" for n in range(3)}
    with pytest.raises(UnknownName, match="nearest"):
        hinterland.export(store, "jsonlines")


def test_archives_become_a_store(store: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    report = hinterland.import_archives([store.with_name("warc")], other)
    assert report.outcomes["fetched"] == 3
    with pytest.raises(HinterlandError, match="there is no archive"):
        hinterland.import_archives([tmp_path / "none.warc"], other)


def test_a_recrawl_revisits_every_page(store: Path, settings: dict[str, str], tmp_path: Path) -> None:
    ending = hinterland.recrawl(store, settings=settings)
    revisits = ending.progress.statistics.of(RevisitStatistics)
    assert revisits is not None
    assert sum(revisits.looks.values()) >= 3
    with pytest.raises(HinterlandError, match="is not a budget"):
        hinterland.recrawl(store, budget="5000/fortnight")
    empty = tmp_path / "empty.db"
    with pytest.raises(hinterland.errors.NoStore):
        hinterland.recrawl(empty)


@pytest.mark.slow
def test_a_store_is_indexed_and_asked(store: Path) -> None:
    done: list[str] = []
    report = hinterland.build_index(store, on_progress=lambda what, _done, _of: done.append(what))
    assert report.documents
    assert "PageRank" in done
    assert hinterland.search_pages(store, "ferry").total
    with pytest.raises(HinterlandError, match="searched already"):
        hinterland.search_pages(store, "ferry", also=[store])


def test_errors_say_whether_the_store_is_to_blame(store: Path, settings: dict[str, str], web: LoopbackWeb) -> None:
    with pytest.raises(StoreUnusable, match="already holds a crawl") as refusal:
        hinterland.crawl(web.url("a.test", "/item/0"), store, settings=settings)
    assert isinstance(refusal.value, hinterland.errors.CommandError)
