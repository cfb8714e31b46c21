"""Orders that were given wrongly or too early, and webs that make a crawl decide something wrong."""

from __future__ import annotations

import shutil
import time
from typing import Final

from benchmarks.faults.cell import Cell, Lost
from benchmarks.faults.comparison import compare_index
from benchmarks.faults.kinds.fault import NO_NETWORK, Fault
from benchmarks.faults.modes import Place
from tests.support.web import gaps


def networks_forgotten(cell: Cell) -> None:
    """Stop in the middle, resume without fetching.allow_networks, then with it."""
    job = cell.begin()
    cell.wait_for_middle(job, 0.4)
    cell.stop(job)
    code = cell.ended(cell.go_on(allow=False))
    cell.claim(f"without the setting: exit code {code}", code is not None)
    cell.finish(cell.go_on())


def robots_flood(cell: Cell) -> None:
    """Crawl a host on which every page links to hundreds that its robots.txt forbids."""
    cell.ended(cell.begin())
    longest = max(gaps(cell.servers.requested("h1.test")), default=0.0)
    cell.claim(
        f"the longest rest of that host was {longest:.1f} true s, and {cell.rest_seconds:.1f} is what it has to be"
    )
    cell.seen.lost += cell.differences_but_forbidden()


def straggler(cell: Cell) -> None:
    """Crawl with a budget for some of the outside pages while the robots.txt of one host never answers.

    Later it answers, and the budget is larger.
    """
    cell.servers.second.stop()
    code = cell.ended(cell.begin("--hinterland", "60"))
    last = max(request.finished for request in cell.servers.requested())
    idle = (time.monotonic() - last) * cell.speed
    cell.claim(f"exit code {code}, {idle:.0f} s of its clock after the last page")
    cell.servers.second.go_on()
    cell.finish(cell.go_on())


def false_settling(cell: Cell) -> None:
    """Nothing answers for eleven minutes, under --until-change: rounds that fetch nothing prove nothing."""
    job = cell.begin("--until-change", "0.001")
    cell.wait_for_middle(job, 0.35)
    for server in cell.servers.both:
        server.kill()
    cell.rest(660.0)
    if not job.is_running:
        code = cell.ended(job)
        cell.claim(f"during the outage it ended with {code}", code != 10)
    for server in cell.servers.both:
        server.start()
    if job.is_running:
        cell.ended(job)
    cell.finish(cell.go_on())


def index_stale(cell: Cell) -> None:
    """Index a store that replaced another of the same name: the index must become that of the new one."""
    cell.ended(cell.begin())
    other, fresh = cell.store_of("hinterland"), Place(cell.folder / "fresh")
    fresh.folder.mkdir()
    shutil.copy(other, fresh.store)
    for left in cell.place.folder.glob("crawl.db*"):
        left.unlink()
    shutil.copy(other, cell.place.store)
    cell.ended(cell.go_on())
    cell.ended(cell.command("index", str(fresh.store)))
    lost = compare_index(fresh.store, cell.place.store)
    if lost:
        raise Lost("; ".join(lost))


def _only(mode: str, why: str) -> dict[str, str]:
    return {name: why for name in ("bfs", "hinterland", "warc", "recrawl", "index", "import") if name != mode}


FAULTS: Final = (
    Fault(
        "allow_networks forgotten on resume",
        "the networks of earlier runs stay allowed; no page is settled",
        networks_forgotten,
        NO_NETWORK,
    ),
    Fault(
        "8,000 pages forbidden by robots.txt",
        "each is refused without idling its host",
        robots_flood,
        NO_NETWORK,
        flood=400,
    ),
    Fault(
        "one robots.txt never answers",
        "the budget is spent on other pages",
        straggler,
        _only("hinterland", "has no budget of pages outside"),
    ),
    Fault(
        "all servers refuse 11 min, --until-change",
        "it does not settle on rounds that fetched nothing",
        false_settling,
        _only("hinterland", "estimates nothing"),
    ),
    Fault(
        "store of another crawl under an index",
        "every document is that of the store",
        index_stale,
        _only("index", "is not an index"),
    ),
)
