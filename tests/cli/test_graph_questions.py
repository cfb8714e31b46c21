"""`communities`, `quality` and `hubs`: whole commands, and how they fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.graph_files import random_web, write_graph
from tests.support.in_process import complaint, said
from tests.support.stored_pages import Link, Page, essay, write_store

pytestmark = pytest.mark.slow

HOSTS = tuple(f"http://h{number}.test" for number in range(6))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three lists of ferries on three hosts, 0 to 2, which all link to 3, 4 and 5; 6 is about something else."""
    lists = [
        Page(
            text=f"ferries of the islands {essay(number)}",
            title=f"List of ferries {number}",
            links=[Link(3, "Blue ferry"), Link(4, "Red ferry"), Link(5, "Green ferry"), Link(number + 7)],
            host=number,
        )
        for number in range(3)
    ]
    ferries = [Page(text=f"one ferry {essay(number)}", title=f"Ferry {number}", host=number) for number in range(3, 6)]
    rest = [Page(text=f"cheese {essay(number)}", links=[Link(6)], host=number % 6) for number in range(6, 10)]
    return write_store(tmp_path_factory.mktemp("graph") / "s.db", [*lists, *ferries, *rest], HOSTS)


def test_a_community_is_named_by_its_titles_and_the_texts_of_its_links(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(capsys, "communities", store, "--min-hosts", 3, "--keep-mirrors").splitlines()
    assert "1 core; 1 set of fans." in told
    assert "  1  3 fans on 3 hosts, 3 centres" in told
    assert "     List of ferries 0 | List of ferries 1 | List of ferries 2" in told
    assert "     Blue ferry | Red ferry | Green ferry" in told
    assert "     from http://h0.test/0" in told
    assert "     to   http://h5.test/5" in told
    as_json = json.loads(said(capsys, "communities", store, "--min-hosts", 3, "--keep-mirrors", "--json"))
    assert (as_json["cores"], as_json["count"], as_json["is_complete"]) == (1, 1, True)
    assert as_json["communities"][0]["centres"] == ["http://h3.test/3", "http://h4.test/4", "http://h5.test/5"]


def test_cores_are_counted_by_fans_and_centres(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, "communities", store, "--min-hosts", 3, "--keep-mirrors", "--table").splitlines()
    assert told[2].split() == [*"3456789"]
    assert told[3].split()[:3] == ["3", "1", "(1)"]
    table = json.loads(said(capsys, "communities", store, "--min-hosts", 3, "--table", "--json"))["table"]
    assert table[0] == {"fans": 3, "centres": 3, "generated": 1, "diverse": 1, "left_fans": 0}


def test_a_search_that_is_cut_short_says_how_to_let_it_go_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    links = [(page, 20 + other) for page in range(20) for other in range(40) if (7 * page + 3 * other) % 10 < 7]
    dense = write_graph(tmp_path, links, 60, urls=[f"http://h{page}.test/" for page in range(60)])
    told = said(capsys, "communities", dense, "--max-steps", 100, "--top", 1)
    assert "and at least" in told
    assert "The search ended after 100 steps; raise --max-steps to find all." in told
    assert "--max-steps" not in said(capsys, "communities", dense, "--top", 1)


def test_a_graph_without_communities_says_what_to_ask_for(
    store: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert "lower --min-hosts" in complaint(capsys, "communities", store, "--min-hosts", 9)
    assert "at least 2" in complaint(capsys, "communities", store, "--fans", 1)
    (tmp_path / "notes.txt").write_text("no graph")
    for command in ("communities", "quality"):
        assert "or a link store" in complaint(capsys, command, tmp_path / "notes.txt")


def test_the_quality_of_a_crawl_is_that_of_its_real_order(
    store: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    told = said(capsys, "quality", store, "--slices", 5, "--json", tmp_path / "q.json").splitlines()
    assert told[0] == "s: 10 pages fetched, 10 known, 15 links"
    assert told[2] == "as crawled, 10 pages"
    crawls = json.loads((tmp_path / "q.json").read_text())["crawls"]
    assert len(crawls["as crawled"]["pagerank"]["averages"]) == 5
    first, second, third, *_ = crawls["as crawled"]["authority"]["averages"]
    assert first == pytest.approx(0, abs=1e-3)
    assert third == pytest.approx(2 * second, abs=1e-3)  # page 3 is in the one, 4 and 5 in the other


def test_the_quality_of_other_policies_is_that_of_their_orders(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    web = random_web(tmp_path / "web")
    told = said(capsys, "quality", web, "--policies", "bfs,random", "--slices", 4)
    assert "bfs, 200 pages" in told
    assert "random, 200 pages" in told
    assert "bfs, 200 pages" in said(capsys, "quality", web)
    lonely = write_graph(tmp_path / "lonely", [(0, 1), (1, 0)], 2)
    assert "remote" not in said(capsys, "quality", lonely)
    assert "no page whose links are known" in complaint(capsys, "quality", write_graph(tmp_path / "none", [], 0))


def test_hubs_and_authorities_are_shown_with_their_titles(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "index", store)
    told = said(capsys, "hubs", store, "ferry").splitlines()
    assert told[0].endswith("weighted by how well the text matches.")
    authorities, hubs = (told.index(name) for name in ("Authorities", "Hubs"))
    titles = {line.split(maxsplit=2)[2] for line in told[authorities + 1 : hubs - 1 : 2]}
    assert titles >= {"Ferry 3", "Ferry 4", "Ferry 5"}
    assert told[hubs + 1].split(maxsplit=2)[2].startswith("List of ferries")
    alike = json.loads(said(capsys, "hubs", store, "ferry", "--unweighted", "--top", "1", "--json"))
    assert (alike["weights"], len(alike["hubs"]), len(alike["authorities"])) == ("", 1, 1)
    assert alike["hubs"][0]["score"] == pytest.approx(1 / 3, abs=1e-3)


def test_what_hubs_cannot_be_found_for_is_said(store: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lonely = write_store(tmp_path / "l.db", [Page(text="ferry", links=[Link(1)]), Page(text="ferry too")])
    assert "`index` makes it" in complaint(capsys, "hubs", lonely, "ferry", exit_code=3)
    said(capsys, "index", lonely)
    assert "--within-hosts" in complaint(capsys, "hubs", lonely, "ferry")
    assert "no page matches" in complaint(capsys, "hubs", lonely, "zebra")
    assert "http://a.test/1" in said(capsys, "hubs", lonely, "ferry", "--within-hosts")
    assert "language" in complaint(capsys, "hubs", lonely, "lang:xxxxx")
