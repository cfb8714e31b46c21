"""`rank`: the pages of a domain as the site sees itself and as the web sees it."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.error_formula import OBSERVATIONS
from hinterland.analysis.estimates.estimate_error import EstimateError
from hinterland.analysis.estimates.estimation import Estimate, Estimation
from hinterland.analysis.estimates.estimators import DEFAULT_ESTIMATOR, ESTIMATORS
from hinterland.cli.commands import main
from hinterland.cli.exit_codes import OK, STORE, USAGE
from hinterland.cli.rank_text import as_csv, as_table
from hinterland.library.rank_answer import RankAnswer, Ranking, as_json
from hinterland.storage.link_store import LinkStore
from hinterland.storage.lock import StoreLock
from hinterland.storage.values.pages import NamedPage
from hinterland.storage.values.ranks import EstimateReport
from tests.support.crawling import crawl, rows
from tests.support.web import Link, LoopbackWeb

pytestmark = pytest.mark.slow


def crawled(store: Path, budget: str = "4") -> dict[str, str]:
    """A store of a small site whose page /liked only the web outside cares for; title -> URL."""
    return asyncio.run(_crawled(store, budget))


async def _crawled(store: Path, budget: str) -> dict[str, str]:
    async with LoopbackWeb() as web:
        for number in range(4):
            web.page("out.test", f"/{number}", links=[("site.test", "/liked"), f"/{(number + 1) % 4}"])
        web.redirect("site.test", "/old", "/proud")
        web.page("site.test", "/proud", title="Proud", links=["/"])
        web.page("site.test", "/liked", title="Liked, really", links=["/"])
        links: list[Link] = ["/old", "/proud", "/liked", *(("out.test", f"/{n}") for n in range(4))]
        seed = web.page("site.test", "/", title="Front", links=links)
        await crawl(web.addresses, [seed], store, hinterland={"budget": budget})
        return {title: web.url("site.test", path) for title, path in (("Front", "/"), ("Proud", "/proud"))}


def test_the_table_names_the_estimator_the_top_pages_and_the_movers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store.db"
    crawled(store)
    assert main(["rank", str(store), "--history"]) == OK
    output = capsys.readouterr().out
    assert "3 local pages fetched, 4 pages outside" in output
    assert any(f"Estimator: {name}" in output for name in ESTIMATORS)
    movers = output.partition("Biggest movers")[2].partition("History")[0]
    assert "Liked, really" in movers
    head = re.split("  +", movers.splitlines()[1].strip())
    assert head == ["by own links", "by the web", "PageRank", "page", "title"]
    assert re.search(r"^ +[23] +[23] +\d+\.\d\d times  http\S+liked  Liked, really$", movers, re.MULTILINE)
    assert len(output.partition("History")[2].splitlines()) >= 3


def test_pages_that_redirect_pass_rank_on_but_are_not_ranked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store.db"
    crawled(store, budget="0")
    assert main(["rank", str(store), "--format", "json", "--estimator", "crawled-graph"]) == OK
    told = json.loads(capsys.readouterr().out)
    assert [page["title"] for page in told["top"]] == ["Front", "Proud", "Liked, really"]
    assert (told["local_pages"], told["outside_pages"], told["movers"]) == (3, 0, [])
    assert "history" not in told
    assert [page["ratio"] for page in told["top"]] == pytest.approx([1.0] * 3)


def test_csv_has_one_line_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "store.db"
    urls = crawled(store)
    assert main(["rank", str(store), "--format", "csv", "--top", "0"]) == OK
    read = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [int(row["position"]) for row in read] == [1, 2, 3]
    assert read[0]["url"] == urls["Front"]
    assert main(["rank", str(store), "--format", "csv", "--top", "1"]) == OK
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_list_of_inlinks_corrects_what_is_shown_and_nothing_is_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, inlinks = tmp_path / "store.db", tmp_path / "inlinks.csv"
    urls = crawled(store, budget="1")
    assert main(["rank", str(store)]) == OK
    kept = rows(store, "SELECT estimator, page, pagerank FROM rank")
    proud = urls["Proud"].upper().replace("/PROUD", "/proud#top")  # as other people write it
    inlinks.write_text("\n".join(f"https://{n}.test/,{proud}" for n in range(9)), encoding="utf-8")
    printed = []
    for options in ([], ["--inlinks", str(inlinks)]):
        assert main(["rank", str(store), *options]) == OK
        printed.append(capsys.readouterr().out)
    assert "List of inlinks: 9 rows: 9 links that no crawl could find" in printed[1]
    before, after = (
        int(next(line.split()[0] for line in output.splitlines() if "proud" in line)) for output in printed
    )
    assert after <= before
    assert rows(store, "SELECT estimator, page, pagerank FROM rank") == kept


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_ranks_are_stored_for_every_estimator_and_for_the_site_itself(estimator: str, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    crawled(store, budget="0")
    assert rows(store, "SELECT count(*) FROM rank") == [(0,)]
    for _ in range(2):
        assert main(["rank", str(store), "--estimator", estimator]) == OK
    counts = dict(rows(store, "SELECT estimator, count(*) FROM rank GROUP BY estimator"))
    assert counts == dict.fromkeys([*ESTIMATORS, "local"], 4)
    sums = [total for (total,) in rows(store, "SELECT sum(pagerank) FROM rank GROUP BY estimator")]
    assert sums == pytest.approx([1.0] * len(sums))
    assert rows(store, "SELECT count(*) FROM ranks_by_estimator WHERE estimator = ?", estimator) == [(3,)]


def test_without_a_hinterland_the_view_has_the_ranks_that_were_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store.db"
    crawled(store, budget="0")
    assert main(["rank", str(store), "--format", "csv", "--top", "0"]) == OK
    told = {row["url"]: float(row["pagerank"]) for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert rows(store, "SELECT estimator FROM shown_estimator") == [(DEFAULT_ESTIMATOR,)]
    assert dict(rows(store, "SELECT url, as_web_sees FROM ranks")) == pytest.approx(told, abs=1e-6)
    by_links = dict(rows(store, "SELECT url, as_web_sees FROM ranks_by_estimator WHERE estimator = 'crawled-graph'"))
    assert by_links != pytest.approx(told, abs=1e-3)


def test_while_a_crawl_holds_the_store_ranks_are_shown_but_not_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store.db"
    crawled(store, budget="0")
    lock = StoreLock(store)
    lock.acquire()
    try:
        assert main(["rank", str(store)]) == OK
    finally:
        lock.release()
    output = capsys.readouterr()
    assert "Top pages" in output.out
    assert "the ranks are not stored" in output.err
    assert "in use" in output.err
    assert rows(store, "SELECT count(*) FROM rank") == [(0,)]


def test_a_store_without_a_fetched_page_is_nothing_to_rank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def begin() -> None:
        async with LinkStore(tmp_path / "store.db") as store:
            await store.begin_run([], "{}", 0.0)

    asyncio.run(begin())
    assert main(["rank", str(tmp_path / "store.db")]) == STORE
    assert "nothing can be ranked yet" in capsys.readouterr().err


def test_what_is_no_store_is_said_to_be_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", str(tmp_path / "none.db")]) == STORE
    assert "there is no store" in capsys.readouterr().err


def test_an_unknown_estimator_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", "--estimator", "crawled-grap"]) == USAGE
    assert 'the nearest is "crawled-graph"' in capsys.readouterr().err


def test_movers_are_those_whose_positions_differ_most() -> None:
    ranking = Ranking(
        pages=np.array([3, 5, 8, 9], np.int32),
        site=np.array([0.4, 0.3, 0.2, 0.1]),
        web=np.array([0.1, 0.35, 0.2, 0.35]),
        estimator="any",
        disagreements={},
    )
    assert ranking.site_positions().tolist() == [1, 2, 3, 4]
    assert ranking.web_positions().tolist() == [4, 1, 3, 2]
    assert ranking.top(2) == [1, 3]
    assert ranking.movers(9) == [0, 3, 1]


def test_ranks_are_not_written_into_another_store_that_took_the_place_of_theirs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = tmp_path / "store.db", tmp_path / "other.db"
    crawled(store)
    crawled(other, "0")
    estimate = Estimation.estimate

    def replace_and_estimate(self: Estimation, graph: CrawledGraph, outside_pages: int) -> Estimate:
        other.rename(store)
        return estimate(self, graph, outside_pages)

    monkeypatch.setattr(Estimation, "estimate", replace_and_estimate)
    assert main(["rank", str(store)]) == OK
    assert "the ranks are not stored: " in (said := capsys.readouterr().err)
    assert "was replaced while it was being read" in said
    assert rows(store, "SELECT count(*) FROM rank") == [(0,)]


def test_a_table_of_ranks_fits_the_terminal_and_leaves_the_titles_out_before_the_urls() -> None:
    ranking = Ranking(np.array([3], np.int32), np.array([0.5]), np.array([0.25]), "any", {})
    names = {3: NamedPage(3, "https://a.example/" + "x" * 20, "A title of some length")}
    answer = RankAnswer("s.db", ranking, 1, names, top=[0], movers=[], history=None)
    lines = {width: as_table(answer, width).splitlines()[-1] for width in (60, 83, None)}
    assert lines[60] == f"      1   0.25000       0.50000  {names[3].url}"
    assert lines[83] == f"{lines[60]}  A title o…"
    assert lines[None] == f"{lines[60]}  A title of some length"


def answer(history: Sequence[EstimateReport] | None) -> RankAnswer:
    ranking = Ranking(np.array([3], np.int32), np.array([0.5]), np.array([0.25]), "any", {})
    names = {3: NamedPage(3, "https://a.example/", None)}
    return RankAnswer("s.db", ranking, 1, names, top=[0], movers=[], history=history)


def test_a_table_of_ranks_tells_the_predicted_error_and_what_pages_and_places_may_be() -> None:
    error = EstimateError(0.05, 0.12, np.array([8.0, 1.0]), 10)
    pages, web = np.array([3, 4], np.int32), np.array([0.5, 0.4])
    ranking = Ranking(pages, np.array([0.25, 0.6]), web, "outside-model", {}, error, error.spreads)
    names = {3: NamedPage(3, "https://a.example/", None), 4: NamedPage(4, "https://a.example/4", None)}
    told = RankAnswer("s.db", ranking, 10, names, top=[0, 1], movers=[], history=None)
    lines = as_table(told).splitlines()
    assert "Expected error: 0.05 on the same scale, with 90% probability below 0.12" in lines
    assert not any("unlike" in line for line in lines)
    assert "  probably 0.049, 0.048, 0.047 after 2, 4, 8 more pages outside" in lines
    before, _, table = as_table(told).partition("\n  place  ")
    head = re.split("  +", f"place  {table.splitlines()[0]}")
    assert head == ["place", "likely places", "PageRank", "likely PageRank", "by own links", "page", "title"]
    assert all(name in before for name in head[:5])
    assert lines[-2].split()[:8] == ["1", "1", "to", "2", "0.50000", "0.06250", "to", "1.00000"]
    assert as_json(told)["predicted_error"]["at_most"] == 0.12
    assert as_csv(told).splitlines()[2].endswith("/4,,0.4,0.4,1,2")


def test_a_crawl_unlike_all_known_ones_is_told_by_what_it_is_unlike() -> None:
    error = EstimateError(0.05, 0.4, np.ones(1), 10, unlike=[OBSERVATIONS[2]])
    ranking = Ranking(np.array([3], np.int32), np.ones(1), np.ones(1), "outside-model", {}, error, error.spreads)
    names = {3: NamedPage(3, "https://a.example/", None)}
    told = RankAnswer("s.db", ranking, 10, names, top=[0], movers=[], history=None)
    assert f"    by {OBSERVATIONS[2]}" in as_table(told).splitlines()
    assert as_json(told)["predicted_error"]["unlike_known_crawls_by"] == [OBSERVATIONS[2]]


def test_a_requested_history_is_mentioned_even_if_there_is_none() -> None:
    assert "History" not in as_table(answer(None))
    assert as_table(answer([])).endswith("\nHistory: none; only a crawl with --hinterland has one")
    assert "history" not in as_json(answer(None))
    estimate = EstimateReport(1, 5, 3, 2, "any", 0.5, None, 0.1, 1e9)
    [told] = as_json(answer([estimate]))["history"]
    assert (told["visit"], told["change"]) == (5, 0.5)


def test_a_web_that_has_no_say_yet_is_brought_in_by_a_command_that_can_be_copied() -> None:
    ranking = Ranking(np.array([3, 4], np.int32), np.array([0.5, 0.4]), np.array([0.25, 0.6]), "any", {})
    names = {3: NamedPage(3, "https://a.example/", None), 4: NamedPage(4, "https://a.example/4", None)}
    table = as_table(RankAnswer("my store.db", ranking, 0, names, top=[], movers=[0, 1], history=None))
    assert table.endswith("  python3 run.py crawl --resume --store 'my store.db' --hinterland 1.0")
