"""`sample`: near-uniform samples of the pages of a graph."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hinterland.cli import main
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.lab.walks.sampling import METHODS
from tests.support.crawling import crawl
from tests.support.graph_files import random_web, write_graph
from tests.support.in_process import complaint, said
from tests.support.web import LoopbackWeb, web_process

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_web(tmp_path_factory.mktemp("web") / "web", hosts=4, pages=50)


def found(capsys: pytest.CaptureFixture[str], *command: object) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(said(capsys, "sample", *command, "--json"))
    return answer


def test_the_sample_is_pages_with_their_weights(web: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", str(web), "--count", "50", "--seed", "3"]) == 0
    written = capsys.readouterr()
    rows = [line.split("\t") for line in written.out.splitlines()]
    assert sum(float(weight) for weight, _ in rows) == pytest.approx(1, abs=1e-4)
    assert all(url.startswith("http://h") for _, url in rows)
    assert re.search(r"undirected: 50 of \d{3},\d{3} visits accepted, to 4\d pages", written.err)
    assert "accepted by inlinks (χ² " in written.err
    assert "second eigenvalue 0." in written.err
    assert "the paper's bound: second at most 1 - " in written.err


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_the_same_sample_for_the_same_seed(
    method: str, web: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options: list[object] = [web, "--method", method, "--steps", 20_000]
    if METHODS[method].stationary == "estimated":
        options += ["--estimate-steps", 50_000]
    first = found(capsys, *options, "--seed", 2)
    assert first == found(capsys, *options, "--seed", 2)
    assert first["sample"] != found(capsys, *options, "--seed", 4)["sample"]
    assert first["method"] == method
    assert (first["steps"], first["pages_within_reach"]) == (20_000, 200)
    assert sum(each["weight"] for each in first["visited"]) == pytest.approx(1)
    assert 0 < first["effective_size"] <= first["accepted"]
    assert sum(each["true"] for each in first["by_inlinks"]["buckets"]) == pytest.approx(1)
    assert ("eigenvalues" in first) is ("bound" in first) is (method == "undirected")


def test_all_pages_visited_have_weights_to_average_by(web: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "sample", web, "--steps", 50_000, "--weighted").splitlines()
    weights = [float(line.split("\t")[0]) for line in lines]
    assert len(weights) == 200
    assert max(weights) < 2 * min(weights)


def test_the_walk_begins_at_the_given_page(web: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = "http://h1.test/3"
    options = ("--start", url, "--burn-in", 0, "--steps", 1, "--method", "regular")
    assert found(capsys, web, *options)["start"] == url


def test_pages_whose_links_are_unknown_are_not_walked_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = write_graph(tmp_path / "part", [(0, 1), (1, 0), (1, 2)], 3, n_crawled=2)
    assert found(capsys, graph, "--steps", 1000)["pages_within_reach"] == 2


async def test_a_redirect_is_walked_through_and_is_no_page_of_the_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web = LoopbackWeb()
    web.page("a.test", "/", links=["/one", "/old"])
    web.page("a.test", "/one", links=["/"])
    web.redirect("a.test", "/old", "/new")
    web.page("a.test", "/new", links=["/"])
    async with web:
        await crawl(web.addresses, [web.url("a.test")], tmp_path / "crawl.db")
    answer = found(capsys, tmp_path / "crawl.db", "--steps", 20_000)
    pages = {web.url("a.test", path) for path in ("/", "/one", "/new")}
    assert {each["url"] for each in answer["sample"]} == {each["url"] for each in answer["visited"]} == pages
    assert answer["pages_within_reach"] == 3
    assert [each["weight"] for each in answer["sample"]] == pytest.approx([1 / 3] * 3, abs=0.03)


def test_a_walk_that_is_caught_is_reported_and_the_core_avoids_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    links = [(page, (page + 1) % 9) for page in range(9)] + [(0, 9)]
    graph = write_graph(tmp_path / "trap", [*links, (9, 10), (10, 9)], 11)
    options = (graph, "--method", "directed", "--steps", 1000, "--estimate-steps", 1000)
    assert main(["sample", *map(str, options)]) == 0
    assert "the walk reached less than half of them" in capsys.readouterr().err
    in_core = found(capsys, *options, "--core")
    assert in_core["pages_within_reach"] == len(in_core["visited"]) == 9


def test_a_live_walk_fetches_what_it_needs_and_goes_on_where_it_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, log = tmp_path / "walk.db", tmp_path / "log.jsonl"
    with web_process(log, graph_seed=2, hosts=2, pages=40) as web:
        quick = ("politeness.delay_seconds=0.01", "politeness.delay_factor=0", "politeness.address_delay_seconds=0")
        network = "fetching.allow_networks=127.0.0.0/8"
        addresses = ",".join(f"{host}={address}" for host, address in web.addresses.items())
        settings = [f"--set={each}" for each in (*quick, network, f"fetching.addresses={addresses}")]
        options = ("sample", store, "--live", "--scope", "web", "--count", 20, "--seed", 1, "--json", *settings)
        command = [str(each) for each in (*options, "--start", web.seed)]
        assert main([*command, "--max-pages", "5"]) == EndReason.MAX_PAGES.exit_code
        written = capsys.readouterr()
        assert written.out == ""
        assert "The walk is not complete; repeat the command to continue it. Nothing is fetched twice." in written.err
        assert main(command) == 0
        live: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert live["accepted"] > 0
    assert (live["retried"], live["lost"]) == (0, 0)
    assert {each["url"].partition("/p")[0] for each in live["visited"]} <= {
        f"http://h{host}.test:{web.port}" for host in range(2)
    }
    paths = [request.path for request in web.requests() if request.path != "/robots.txt"]
    assert len(paths) == len(set(paths))
    found_in_store = found(capsys, store, "--steps", 1000)  # a store like any other
    assert found_in_store["pages_within_reach"] == len(paths)


def test_a_live_walk_says_what_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "walk.db"
    assert "name the first page of the walk with --start URL" in complaint(capsys, "sample", store, "--live")
    options = (store, "--live", "--start", "http://a.test/", "--core")
    assert "--core needs all links in advance" in complaint(capsys, "sample", *options)
    regular = (store, "--live", "--start", "http://a.test/", "--method", "regular")
    assert "set an upper bound with --degree-bound D" in complaint(capsys, "sample", *regular)
    assert not store.exists()


def test_mistakes_are_named(web: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options, message in (
        (("--method", "undirect"), 'there is no method "undirect"; the nearest is "undirected"'),
        (("--max-pages", 3), "--max-pages applies only to a walk over the live web"),
        (("--jump", 0.2), "--jump does not apply to the method undirected"),
        (("--degree-bound", 9), "--degree-bound does not apply to the method undirected"),
        (("--estimate-steps", 9), "--estimate-steps does not apply to the method undirected"),
        (("--method", "regular", "--degree-bound", 2), "--degree-bound is 2; a page has "),
        (("--method", "pagerank", "--jump", 1), "--jump is 1"),
        (("--start", "http://nowhere.test/"), "no page whose links are known has this URL"),
        (("--count", "99999999"), "--count is 99,999,999, which would take a walk of 9,999,999,900 steps"),
    ):
        assert message in complaint(capsys, "sample", web, *options)
    assert "there is no graph at" in complaint(capsys, "sample", tmp_path / "none")
    empty = write_graph(tmp_path / "empty", [], 0)
    assert "has no page whose links are known" in complaint(capsys, "sample", empty)
    nameless = write_graph(tmp_path / "nameless", [(0, 1)], 2)
    assert "have no URLs" in complaint(capsys, "sample", nameless, "--start", "http://a.test/")
