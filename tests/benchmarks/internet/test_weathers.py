"""What the matrix of weathers and modes takes for a loss, and one of its cells where a box can be opened."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.internet.crawls import Failure
from benchmarks.internet.ideal import lives
from benchmarks.internet.manners import Verdict
from benchmarks.internet.network import why_impossible
from benchmarks.internet.pages import path_of
from benchmarks.internet.weathers import world_of
from benchmarks.internet.weathers_judge import Seen, Stored, base_of, judged
from benchmarks.internet.weathers_report import as_json, in_words, table
from benchmarks.internet.world import Host, Machine, Name, NameKind, Quirk, TlsKind, World
from benchmarks.internet.world import Path as NetworkPath

PAGES = 6
HOSTS = [
    Host("usual.example", 0, pages=PAGES),
    Host("secure.example", 0, tls=TlsKind.GOOD, pages=PAGES),
    Host("moved.example", 0, tls=TlsKind.GOOD, quirk=Quirk.REDIRECTS_TO_TLS, pages=PAGES),
    Host("forbids.example", 0, quirk=Quirk.FORBIDS, pages=PAGES),
    Host("dead.example", 0, Name(NameKind.NXDOMAIN), pages=PAGES),
]
WORLD = World(1, [Machine("198.18.1.0", "", NetworkPath())], HOSTS)
SEEDS = [WORLD.host_url(host) for host in HOSTS]
FETCHED = Stored("fetched", "fetched")
WHOLE = {f"{base_of(WORLD, host)}{path_of(n)}": FETCHED for host in HOSTS[:4] for n in range(PAGES)} | {
    "http://moved.example/": Stored("redirected", "redirected"),
    "http://dead.example/": Stored("waiting", "dns_failure"),
}
REASON = why_impossible()


def seen(
    stored: dict[str, Stored],
    *exit_codes: int,
    failures: tuple[Failure, ...] = (),
    seeds: list[str] = SEEDS,
    output: str = "",
    violations: int = 0,
) -> Seen:
    manners = Verdict(9, 9, Counter({"rest too short": violations} if violations else {}), ["0.1 s"] * violations)
    return judged(
        WORLD,
        seeds=seeds,
        stored=stored,
        exit_codes=exit_codes or (8,),
        output=output,
        failures=failures,
        manners=manners,
    )


def without(url: str) -> dict[str, Stored]:
    return {each: found for each, found in WHOLE.items() if each != url}


def test_a_crawl_that_found_everything_has_lost_nothing() -> None:
    found = seen(WHOLE)
    assert (found.pages, found.excused, found.waiting, found.lost) == (24, 0, 0, [])
    assert found.is_complete


@pytest.mark.parametrize(
    "url", ["http://usual.example/" + path_of(5)[1:], "https://secure.example/", "https://www.moved.example/"]
)
def test_a_page_that_is_not_in_the_store_is_lost(url: str) -> None:
    [lost] = seen(without(url)).lost
    assert "pages lost" in lost
    assert f"{url} (" in lost


@pytest.mark.parametrize(
    "stored", [Stored("failed", "first_byte_timeout"), Stored("refused", "robots"), Stored("known")]
)
def test_a_page_that_will_not_be_fetched_any_more_is_lost(stored: Stored) -> None:
    [lost] = seen(WHOLE | {"http://usual.example/": stored}, 0).lost
    assert f"is {stored.state}" in lost


def test_a_page_may_wait_unless_the_crawl_claims_to_be_done() -> None:
    assert seen(WHOLE | {"http://usual.example/": Stored("known")}, 6).lost == []
    waits = WHOLE | {"http://usual.example/": Stored("waiting", "throttled")}
    assert seen(waits, 13).lost == []
    assert (seen(waits, 13).waiting, seen(waits, 13).is_complete) == (1, True)
    assert not seen(waits, 6).is_complete
    assert seen(waits, 6, 0).lost == []
    assert "is waiting" in seen(waits, 0).lost[0]


def test_a_host_that_forbids_its_pages_may_keep_them_and_what_they_lead_to() -> None:
    root = "http://forbids.example/"
    found = seen(
        {url: each for url, each in WHOLE.items() if root not in url} | {root: Stored("failed", "client_error")}
    )
    assert (found.excused, found.lost) == (1, [])
    assert seen(WHOLE | {root: Stored("failed", "dns_failure")}).lost != []


def test_pages_that_only_a_lost_page_leads_to_are_not_counted_twice() -> None:
    first = "http://usual.example" + path_of(1)
    [lost] = seen(
        {url: each for url, each in WHOLE.items() if url not in (first, "http://usual.example" + path_of(5))}
    ).lost
    assert lost.startswith("1 pages lost")


def test_a_dead_host_must_be_known_to_the_store_and_show_no_page() -> None:
    [forgotten] = seen(without("http://dead.example/")).lost
    assert "dead hosts forgotten: http://dead.example/" in forgotten
    [impossible] = seen(WHOLE | {"http://dead.example/": FETCHED}).lost
    assert "cannot be reached" in impossible


def test_seeds_lead_to_other_hosts_as_the_pages_do() -> None:
    assert seen({"http://usual.example/": FETCHED}, seeds=SEEDS[:1]).lost
    assert seen({}, 4, seeds=["http://dead.example/"]).lost == ["1 dead hosts forgotten: http://dead.example/"]


def test_blame_manners_bugs_and_bad_ends_are_losses() -> None:
    [blamed] = seen(WHOLE, failures=(Failure("usual.example", "connect_timeout"),)).lost
    assert "living hosts blamed: usual.example" in blamed
    [given_up] = seen(WHOLE, failures=(Failure("usual.example", "", "silent", is_given_up=True),)).lost
    assert "given up" in given_up
    assert seen(WHOLE, violations=2).lost == ["2 × rest too short: ['0.1 s']"]
    assert seen(WHOLE, 1).lost == ["it ended with 1"]
    assert seen(WHOLE, 0, -9).lost == ["it ended with -9"]
    assert seen(WHOLE, output="this is a bug in Hinterland").lost == ["it printed 'this is a bug'"]


def test_a_failure_that_is_over_is_counted_and_not_held_against_the_crawl() -> None:
    found = seen(WHOLE, failures=(Failure("usual.example", "dns_failure", is_over=True),))
    assert (found.passing, found.lost) == (1, [])


def test_pages_may_wait_for_ever_at_a_host_that_forbids_them() -> None:
    found = seen(WHOLE | {"http://forbids.example" + path_of(5): Stored("waiting")}, 6)
    assert (found.excused, found.waiting, found.is_complete) == (1, 0, True)


def test_the_table_counts_cells_and_names_each_loss() -> None:
    kept, lost, stopped = seen(WHOLE), seen({}), seen(WHOLE | {"http://usual.example/": Stored("waiting")}, 6)
    cells = {("calm", "bfs"): kept, ("calm", "recrawl"): lost, ("foul", "bfs"): stopped}
    text = table(cells, ["One mode was left out."])
    assert text.endswith("One mode was left out.\n3 cells, 1 with something lost, 1 stopped before their end\n")
    assert f"calm, recrawl: {lost.lost[0]}" in text
    assert in_words("calm", "bfs", kept, 12.3).startswith("kept       calm, bfs, 12 s: 24 pages")
    assert [each["is_complete"] for each in json.loads(json.dumps(as_json(cells)))] == [True, True, False]


@pytest.mark.parametrize("weather", ["calm", "filters", "worst", "resolver-away"])
def test_local_hosts_of_a_cell_can_be_reached_and_hosts_have_an_end(weather: str) -> None:
    world = world_of(weather, hosts=20, pages=6, seed=3)
    assert sorted(host.name for host in world.hosts) == sorted(f"h{n}.example" for n in range(20))
    assert all(lives(world, host) for host in world.hosts[::10])
    assert all(host.pages >= 6 for host in world.hosts)


def test_a_world_of_dead_hosts_needs_nothing_fetched() -> None:
    dead = replace(WORLD, hosts=HOSTS[4:])
    found = judged(
        dead,
        seeds=SEEDS[4:],
        stored={SEEDS[4]: Stored("failed", "dns_failure")},
        exit_codes=[4],
        output="",
        failures=[],
        manners=Verdict(0, 0, Counter(), []),
    )
    assert found.lost == []


@pytest.mark.slow
@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_a_cell_is_crawled_to_its_end_and_loses_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.internet.weathers", "--weather", "calm", "--mode", "bfs"]
    command += ["--hosts", "6", "--pages", "4", "--seconds", "30", "--json", str(tmp_path / "cells.json")]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 cells, 0 with something lost" in done.stdout
    [cell] = json.loads((tmp_path / "cells.json").read_text())
    assert (cell["pages"], cell["exit_codes"], cell["lost"]) == (24, [0], [])
