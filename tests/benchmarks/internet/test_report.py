"""What a report says of a run, and the whole of a small one where a box can be opened."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.internet.crawls import Conditions, Failure, Place, Run, Sample
from benchmarks.internet.crawls_modes import Mode, failures_in_store, ours, politeness_of, settings_file
from benchmarks.internet.ideal import Schedule
from benchmarks.internet.manners import Politeness
from benchmarks.internet.names_log import Asked
from benchmarks.internet.network import MACHINES_V4, why_impossible
from benchmarks.internet.pages import path_of
from benchmarks.internet.report import Report, first_asked, pages_of, report_of, travel_by_address
from benchmarks.internet.report_blame import blame_of
from benchmarks.internet.report_table import as_json, table
from benchmarks.internet.request_log import Arrival, Request
from benchmarks.internet.web_answers import patience_of
from benchmarks.internet.world import Host, Machine, Name, NameKind, Quirk, TlsKind, World
from benchmarks.internet.world import Path as NetworkPath
from hinterland.crawler.settings import SettingsError, load_settings
from hinterland.storage.migrations import CREATE_MIGRATION_TABLE, pending_migrations

HOSTS = [
    Host("usual.example", 0),
    Host("dead.example", 0, Name(NameKind.NXDOMAIN)),
    Host("resets.example", 0, quirk=Quirk.RESETS),
    Host("filter.example", 0, quirk=Quirk.CHALLENGE),
    Host("moved.example", 0, tls=TlsKind.GOOD, quirk=Quirk.REDIRECTS_TO_TLS),
    Host("expired.example", 0, tls=TlsKind.EXPIRED),
]
WORLD = World(1, [Machine("198.18.1.0", "2001:db8::1:0", NetworkPath(0.1, 0.01))], HOSTS)
REASON = why_impossible()


def asked(received: float, host: str, path: str = "/", status: int = 200) -> Request:
    return Request(received, received + 0.1, host, "198.18.1.0", path, status, Arrival.NEW)


# --- blame --------------------------------------------------------------------------------------


def test_failures_are_attributed_to_living_hosts_wrongly_and_to_dead_ones_rightly() -> None:
    blame = blame_of(
        WORLD,
        [
            Failure("usual.example", "connect_timeout"),
            Failure("usual.example", "connect_timeout"),
            Failure("dead.example", "dns_failure", is_given_up=True),
            Failure("expired.example", "tls_failure"),
            Failure("resets.example", "truncated"),
            Failure("resets.example", "dns_failure"),
            Failure("filter.example", "client_error"),
            Failure("elsewhere.example", "dns_failure"),
        ],
    )
    assert blame.wrongly == {"connect_timeout": 1, "dns_failure": 1}
    assert (blame.hosts, blame.given_up) == (2, 0)
    assert blame.outcomes["name nxdomain", "dns_failure"] == 1
    assert blame.outcomes["resets", "truncated"] == 1
    assert len(blame.examples) == 2


@pytest.mark.parametrize(
    "host, kind", [("filter.example", "client_error"), ("usual.example", "challenged"), ("resets.example", "reset")]
)
def test_a_living_host_is_not_given_up_rightly_whatever_its_quirk(host: str, kind: str) -> None:
    assert blame_of(WORLD, [Failure(host, kind, is_given_up=True)]).given_up == 1


def test_a_host_that_answers_with_challenges_alone_is_given_up_rightly_as_challenged() -> None:
    blame = blame_of(WORLD, [Failure("filter.example", "challenged", "a challenge page of Anubis", is_given_up=True)])
    assert (blame.hosts, blame.given_up, blame.wrongly.total()) == (0, 0, 0)


def test_no_host_is_responsible_for_a_resolver_that_is_gone() -> None:
    gone = replace(WORLD, resolver_works=False)
    assert blame_of(gone, [Failure("usual.example", "dns_failure")]).outcomes == {("resolver gone", "dns_failure"): 1}


# --- pages and hosts ----------------------------------------------------------------------------


def test_pages_are_what_was_answered_with_one_and_a_filter_shows_none() -> None:
    patience = patience_of(WORLD.seed, 3)
    log = [
        asked(0, "http://usual.example", "/robots.txt", 404),
        asked(1, "http://usual.example"),
        asked(2, "http://usual.example", path_of(1), 503),
        asked(3, "http://usual.example", path_of(2), 304),
        asked(4, "https://www.moved.example"),
        asked(5, "http://usual.example", path_of(3), -200),
        *(asked(10 + number, "http://filter.example") for number in range(patience + 3)),
    ]
    assert len(pages_of(WORLD, log)) == 3 + patience
    assert first_asked(WORLD, log) == {0: 1, 3: 10, 4: 4}


def test_a_path_with_latency_is_allowed_more_time_on_the_way() -> None:
    travel = travel_by_address(WORLD)
    assert travel("198.18.1.0") == travel("2001:db8::1:0") > 0.4
    assert travel("198.18.9.9") == 0


def report(requests: list[Request], samples: list[Sample]) -> Report:
    run = Run(
        name="ours",
        place=Place(Path("nowhere")),
        begin=100.0,
        asked_to_stop=112.0,
        end=113.5,
        cpu_seconds=2.0,
        samples=samples,
        exit_codes=[6],
        output="",
        counters=Path("nowhere"),
        failures=[Failure("usual.example", "dns_failure")],
    )
    return report_of(
        WORLD,
        run,
        Conditions(seconds=12, window_begin=5),
        requests=requests,
        questions=[Asked(102.0, "usual.example", "A", False, 0.1, "answered")],
        counters=[],
        ideal=Schedule([float(number) for number in range(10)], [0.5, 20]),
        politeness=Politeness(),
    )


def test_a_report_counts_from_the_first_question_and_measures_in_the_window() -> None:
    requests = [asked(103, "http://usual.example", "/robots.txt", 404)]
    requests += [asked(104 + n, "http://usual.example", path_of(n)) for n in range(8)]
    made = report(requests, [Sample(107.5, 1.0, 50_000_000), Sample(111.5, 1.4, 60_000_000)])
    assert made.start_seconds == 2
    assert (made.pages, made.reached, made.ideal_reached, made.names_asked) == (8, 1, 1, 1)
    assert made.rate == pytest.approx(1.0)  # the window is that from 107 to 112
    assert made.ideal_rate == pytest.approx(1.0)
    assert made.cpu_ms == pytest.approx(100)
    assert made.cpu_ms_host == pytest.approx(2_000)
    assert (made.peak_mb, made.stop_seconds) == (60, 1.5)
    assert made.names_a_second == 1
    assert made.reached_by == [(5.0, 1, 1), (10.0, 1, 1)]
    assert made.blame.hosts == 1
    text = table([made, made])
    assert "dns_failure" in text
    assert "100.0%" in text
    assert json.loads(json.dumps(as_json(made)))["ratio"] == pytest.approx(1.0)


def test_a_run_in_which_nothing_happened_is_reported_too() -> None:
    made = report([], [])
    assert (made.pages, made.rate, made.cpu_ms, made.half_reached_after) == (0, 0, None, None)
    assert table([made])


# --- settings and the store ---------------------------------------------------------------------


def test_a_crawl_gets_the_settings_of_the_box_and_its_politeness_is_read_from_the_same_text(tmp_path: Path) -> None:
    found = load_settings(settings_file(WORLD, Place(tmp_path)), "box.toml", {}, [], {}).settings
    assert found.scope.hosts == ("www.moved.example",)
    assert MACHINES_V4 in found.fetching.allow_networks
    assert politeness_of([]) == Politeness()
    assert politeness_of(["politeness.delay_seconds=3"]).delay_seconds == 3
    with pytest.raises(SettingsError):
        politeness_of(["politeness.delay=3"])


@pytest.mark.parametrize("mode", list(Mode))
def test_each_mode_is_a_command_line_of_the_crawler(mode: Mode, tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.seeds.write_text("".join(f"http://h{n}.example/\n" for n in range(20)))
    stages = ours(mode, ["politeness.delay_factor=0"], tmp_path).stages(WORLD, place)
    assert sum(stage.share for stage in stages) == pytest.approx(1)
    assert [stage.command[2] for stage in stages] == ["crawl", "recrawl"][: len(stages)]
    assert all("politeness.delay_factor=0" in stage.command for stage in stages)
    assert len(place.seeds.read_text().split()) == (2 if mode is Mode.HINTERLAND else 20)


def test_failures_of_visits_and_hosts_are_read_from_the_store(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert failures_in_store(place) == []
    with closing(sqlite3.connect(place.store)) as store:
        for script in (CREATE_MIGRATION_TABLE, *pending_migrations(set())):
            store.executescript(script)
        store.execute("INSERT INTO host (id, url, site) VALUES (0, 'http://a.example', 'a.example')")
        store.execute(
            "INSERT INTO host (id, url, site, is_given_up, last_error)"
            " VALUES (1, 'https://b.example:8443', 'b.example', 1, 'robots.txt: dns_failure: not found')"
        )
        store.execute(
            "INSERT INTO host (id, url, site, failures, last_error)"
            " VALUES (2, 'http://c.example', 'c.example', 0, 'dns_failure: slow'),"
            " (3, 'http://d.example', 'd.example', 2, 'disconnected: gone')"
        )
        page = "INSERT INTO page (id, url, host, state, is_local, depth) VALUES"
        store.execute(
            f"{page} (0, 'http://a.example/', 0, 'failed', 1, 0), (1, 'http://a.example/1', 0, 'fetched', 1, 0)"
        )
        fetch = "INSERT INTO fetch (page, visit, outcome, detail, attempt, started_at, seconds) VALUES"
        store.execute(f"{fetch} (0, 1, 'slow_body', 'too slow', 1, 0, 0), (1, 2, 'fetched', '', 1, 0, 0)")
        store.commit()
    assert failures_in_store(place) == [
        Failure("a.example", "slow_body", "too slow"),
        Failure("b.example", "dns_failure", "robots.txt: dns_failure: not found", is_given_up=True),
        Failure("c.example", "dns_failure", "dns_failure: slow", is_over=True),
        Failure("d.example", "disconnected", "disconnected: gone"),
    ]


# --- a whole run --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_a_small_box_is_crawled_politely_and_no_failure_is_attributed_wrongly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.internet", "--weather", "calm", "--hosts", "20", "--https", "0.5"]
    command += ["--pages", "5", "--seconds", "12", "--crawl-cpu", "-1", "--server-cpu", "-1"]
    command += ["--set", "politeness.delay_seconds=0.2", "--set", "politeness.delay_factor=0"]
    done = subprocess.run(
        [*command, "--folder", str(tmp_path / "run"), "--json", str(tmp_path / "report.json")],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [made] = json.loads((tmp_path / "report.json").read_text())
    assert (made["hosts"], made["living"], made["reached"]) == (20, 20, 20)
    assert made["blame"]["hosts"] == 0
    assert made["manners"]["violations"] == {}
    assert made["manners"]["gaps"] > 0
    assert made["pages"] > 20
    assert (tmp_path / "run" / "hinterland" / "requests.tsv").exists()


@pytest.mark.slow
@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_a_folder_with_another_run_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "hinterland").mkdir()
    (tmp_path / "hinterland" / "crawl.db").write_text("precious")
    command = [sys.executable, "-m", "benchmarks.internet", "--hosts", "5", "--seconds", "1", "--folder", str(tmp_path)]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True)
    assert done.returncode == 1
    assert "holds the files of another run" in done.stderr
    assert (tmp_path / "hinterland" / "crawl.db").read_text() == "precious"
