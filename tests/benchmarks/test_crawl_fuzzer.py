"""A few sites of the crawl fuzzer, and that it would see what it looks for."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.crawl_fuzzer import invariants
from benchmarks.crawl_fuzzer.commands import Ended
from benchmarks.crawl_fuzzer.drawing import drawn_site
from benchmarks.crawl_fuzzer.hrefs import HARD_NAMES, HARD_QUERIES, Hrefs
from benchmarks.crawl_fuzzer.oracle import Expectation, expectation
from benchmarks.crawl_fuzzer.report import Report
from benchmarks.crawl_fuzzer.responses import answer
from benchmarks.crawl_fuzzer.server import Seen
from benchmarks.crawl_fuzzer.simplifying import FEATURES, simplified
from benchmarks.crawl_fuzzer.site import Page, Site, SiteHost, target_of
from tests.support.levels import rounds

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SIMPLE = ["odd-codings", "empty-xhtml", "shadow", "gates", "odd"]


def fuzzed(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.crawl_fuzzer", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform != "linux", reason="addresses like 127.88.0.1 are there without being set up")
def test_nothing_is_found_on_a_few_sites_in_every_mode() -> None:
    modes = ["crawl", "again", "resume", "recrawl", "import", "extract"]
    sites = str(rounds(1, 4))
    done = fuzzed("--seed", "7", "--sites", sites, "--modes", *modes, "--without", *SIMPLE, "troubles")
    assert done.stderr == ""
    assert done.returncode == 0, done.stdout
    assert f"{sites} sites in" in done.stdout


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of one site after its crawl."""
    folder = tmp_path_factory.mktemp("kept")
    done = fuzzed("--seed", "8", "--sites", "1", "--modes", "crawl", "--without", *FEATURES, "--keep", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def site() -> Site:
    return simplified(drawn_site(8), FEATURES)


def tampered(kept: Path, folder: Path, statement: str) -> Path:
    copy = folder / "crawl.db"
    copy.write_bytes((kept / "crawl.db").read_bytes())
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(statement)
        connection.commit()
    return copy


@pytest.mark.parametrize(
    "statement, invariant",
    [
        ("UPDATE fetch SET outcome = 'connect_failure'", "what came of it"),
        ("UPDATE fetch SET outcome = 'internal_error', detail = 'KeyError' WHERE page = 1", "no internal error"),
        ("UPDATE page SET state = 'waiting' WHERE id = 1", "nothing is lost"),
        ("UPDATE page SET url = url || 'x' WHERE id > 0", "nothing is lost"),
        ("DELETE FROM fetch WHERE page = 0", "a state has its visit"),
        ("UPDATE page_count SET pages = pages + 1", "counts are true"),
        ("UPDATE fetch SET page = 1000000 WHERE page = 0", "the store is sound"),
    ],
)
def test_what_a_store_lacks_is_found(statement: str, invariant: str, kept: Path, site: Site, tmp_path: Path) -> None:
    def found(store: Path) -> Iterator[invariants.Finding]:
        yield from invariants.of_the_store(store)
        yield from invariants.of_the_pages(site, expectation(site, 0), store, visit=0)
        yield from invariants.of_what_waits(site, store, visit=0, code=0)

    assert list(found(kept / "crawl.db")) == []
    assert invariant in {each.invariant for each in found(tampered(kept, tmp_path, statement))}


def test_two_stores_that_differ_in_a_page_or_a_link_are_found(kept: Path, site: Site, tmp_path: Path) -> None:
    urls = list(site.resources)
    first = kept / "crawl.db"
    other = tampered(kept, tmp_path, "UPDATE fetch SET title = 'another' WHERE page = 0")
    assert list(invariants.of_two_stores("same", first, first, urls, site)) == []
    assert [each.invariant for each in invariants.of_two_stores("same", first, other, urls, site)] == ["same"]
    other = tampered(kept, tmp_path, "DELETE FROM link WHERE source = 0")
    assert len(list(invariants.of_two_stores("same", first, other, urls, site))) == 1


def log_of(site: Site, *seen: tuple[str, float, float]) -> list[Seen]:
    return [Seen(next(iter(site.hosts)), target, started, sent, 200) for target, started, sent in seen]


def test_short_rests_requests_out_of_bounds_and_pages_asked_for_twice_are_found(site: Site) -> None:
    slow = replace(site, delay=1.0)
    expected = expectation(slow, 0)

    def kinds(*seen: tuple[str, float, float], expected: Expectation = expected) -> list[str]:
        log = log_of(slow, *seen)
        return [each.invariant for each in invariants.of_the_log(slow, expected, log, visit=0, runs=1)]

    first = site.seeds[0]
    other = next(target_of(url) for url in expected.fates if url.startswith(first) and url != first)
    assert kinds(("/robots.txt", 0.0, 0.1), ("/", 1.2, 1.3), (other, 2.4, 2.5)) == []
    assert kinds(("/", 0.0, 0.5), (other, 1.4, 1.5)) == ["no rest is short"]
    assert kinds(("/", 0.0, 0.1), ("/", 2.0, 2.1)) == ["no page twice"]
    assert kinds(("/", 0.0, 0.1), expected=Expectation({}, frozenset())) == ["no request out of bounds"]


@pytest.mark.parametrize(
    "code, err, invariant",
    [(1, "KeyError: 7", "exit code"), (0, "Traceback (most recent call last):", "no traceback"), (None, "", "it ends")],
)
def test_ends_as_by_a_bug_are_found(code: int | None, err: str, invariant: str) -> None:
    assert list(invariants.of_the_end(Ended(["crawl"], 8, "", "", 1.0))) == []
    [found] = invariants.of_the_end(Ended(["crawl"], code, "", err, 1.0))
    assert found.invariant == invariant


def test_a_site_is_a_pure_function_of_its_seed() -> None:
    for seed in range(20):
        assert drawn_site(seed) == drawn_site(seed)
    assert drawn_site(1) != drawn_site(2)


async def test_an_answer_depends_on_the_number_of_the_visit_and_on_nothing_else() -> None:
    class Exchange:
        path, times = "/", 1

        def __init__(self) -> None:
            self.sent = b""

        async def send(self, data: bytes) -> None:
            self.sent += data

        def close(self) -> None: ...
        def reset(self) -> None: ...
        async def wait_for_client_to_leave(self) -> None: ...

    async def sent(site: Site, host: SiteHost, target: str, visit: int) -> bytes:
        exchange = Exchange()
        await answer(site, host, target, {}, visit=visit, times=9)(exchange)
        return exchange.sent

    differing = 0
    for seed in range(10):
        site = simplified(drawn_site(seed), ["odd", "troubles"])
        for url in site.resources:
            host = site.host_of(url)
            assert host is not None
            first, again, later = [await sent(site, host, target_of(url), visit) for visit in (0, 0, 2)]
            assert first == again
            differing += first != later
    assert differing > 20


def test_all_ways_to_write_an_address_lead_to_it() -> None:
    import random

    from hinterland.crawler.settings import UrlSettings
    from hinterland.crawler.urls.canonical import Canonicaliser

    canonicaliser = Canonicaliser.under(UrlSettings())
    hrefs = Hrefs(canonicaliser, random.Random(1))
    for name in HARD_NAMES:
        for query in HARD_QUERIES[:6]:
            url = canonicaliser.canonical(f"http://a.test:8088/x/{name}?{query}")
            assert url is not None
            for base in ("http://a.test:8088/", "http://a.test:8088/x/y/z?q", "http://b.test:8088/x/"):
                assert canonicaliser.canonical(hrefs.written(url, base), base) == url


def test_what_is_left_out_is_out_and_all_else_stays() -> None:
    whole = drawn_site(7)
    plain = simplified(whole, ["troubles", "changes"])
    assert set(plain.resources) == set(whole.resources)
    for url, resource in plain.resources.items():
        assert len(resource.versions) == 1
        assert resource.versions[0].trouble is None
        assert resource.versions[0].content == whole.resources[url].versions[0].content
    undressed = simplified(whole, ["dresses"])
    pages = [each.versions[0].content for each in undressed.resources.values()]
    assert {page.dress for page in pages if isinstance(page, Page)} == {"html"}


def test_a_kind_is_printed_three_times_and_counted_in_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report(["crawl"], ["odd"])
    for seed in range(5):
        report.add(seed, [("crawl", invariants.Finding("it ends", "crawl", f"detail {seed}"))])
    report.tell(1.0)
    said = capsys.readouterr().out
    assert "--seed 2 --sites 1 --modes crawl --without odd" in said
    assert "detail 3" not in said
    assert "    5  crawl: it ends: crawl (seeds 0, 1, 2)" in said
