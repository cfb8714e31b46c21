"""What a crawl computes with is compiled while it fetches, elsewhere, and read here."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hinterland.crawler.assembly.warm_up import CrawlWarmUp
from hinterland.crawler.features.outside.statistics import HinterlandStatistics
from hinterland.crawler.loop import preparation
from hinterland.crawler.loop.preparation import Preparation
from tests.support.crawling import Change, crawl, rows, wait_until
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


def run(program: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """A program of its own, on a machine on which nothing was compiled before it."""
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, check=False)


PREPARE = """
import asyncio, os, sys
from hinterland.analysis.compile_events import watched
from hinterland.crawler.loop import preparation
from hinterland.crawler.loop.preparation import Preparation
from hinterland.crawler.assembly.warm_up import CrawlWarmUp

class Tells:
    begins = lambda self: print("compiling")
    ended = lambda self, is_done: print("done" if is_done else "cut short")

async def main():
    preparation = Preparation(CrawlWarmUp(policy="indegree"))
    assert not preparation.is_ready
    with watched(Tells()):
        await preparation.run()
    assert preparation.is_ready and preparation.compiling_seconds is None

asyncio.run(main())
"""


def test_it_is_compiled_once_on_a_machine_with_a_notice_and_then_read(tmp_path: Path) -> None:
    for said in (["compiling", "done"], []):
        done = run(PREPARE, tmp_path)
        assert (done.returncode, done.stdout.split("\n")[:-1]) == (0, said), done.stderr
    assert list((tmp_path / "kept").rglob("*.nbi"))


def test_what_cannot_be_compiled_elsewhere_is_compiled_here(tmp_path: Path) -> None:
    elsewhere = "import sys\nsys.executable = '/bin/false'\n"
    done = run(elsewhere + PREPARE, tmp_path)
    assert (done.returncode, done.stdout.split()) == (0, ["compiling", "done"]), done.stderr


def test_where_nothing_can_be_kept_it_is_compiled_here(tmp_path: Path) -> None:
    nowhere = "import numba.core.caching\nnumba.core.caching.CacheImpl._locator_classes = []\n"
    nowhere += "import asyncio\nasyncio.create_subprocess_exec = None\n"  # nobody else is asked to
    done = run(nowhere + PREPARE, tmp_path)
    assert (done.returncode, done.stdout.split()) == (0, ["compiling", "done"]), done.stderr


CANCEL = PREPARE.replace(
    "        await preparation.run()\n    assert preparation.is_ready and preparation.compiling_seconds is None",
    """        running = asyncio.create_task(preparation.run())
        while preparation.compiling_seconds is None:
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert running.cancelled()
    import subprocess
    children = subprocess.run(["ps", "-o", "args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    assert "assembly.warm_up" not in children.stdout, children.stdout""",
)


def test_a_crawl_that_ends_meanwhile_ends_the_process_that_compiles(tmp_path: Path) -> None:
    done = run(CANCEL, tmp_path)
    assert (done.returncode, done.stdout.split("\n")[:-1]) == (0, ["compiling", "cut short"]), done.stderr


async def test_a_crawl_that_computes_nothing_is_ready_from_the_start() -> None:
    assert Preparation(CrawlWarmUp()).is_ready


async def test_a_process_that_has_prepared_is_ready_for_the_next_crawl() -> None:
    warm_up = CrawlWarmUp(policy="indegree")
    await Preparation(warm_up).run()
    assert Preparation(warm_up).is_ready
    assert not Preparation(CrawlWarmUp(policy="indegree", shared="never asked for")).is_ready


@pytest.fixture
def compiling(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Nothing is compiled before it is set."""
    is_over = threading.Event()

    def run(warm_up: CrawlWarmUp) -> None:
        assert is_over.wait(60.0)

    monkeypatch.setattr(CrawlWarmUp, "run", run)
    monkeypatch.setattr(preparation, "_warmed_up", set())
    yield is_over
    is_over.set()


def tree(web: LoopbackWeb) -> str:
    """Pages with as many links each, and one outside."""
    names = ["/", *(f"/{number}" for number in range(1, 13))]
    for place, name in enumerate(names):
        links = [f"/{number}" for number in range(3 * place + 1, 3 * place + 4) if number < len(names)]
        web.page("seed.test", name, [*links, ("outside.test", "/")])
    web.page("outside.test", "/", [("seed.test", "/")])
    return web.url("seed.test")


async def test_a_crawl_with_a_hinterland_fetches_while_its_estimates_are_compiled(
    tmp_path: Path, compiling: threading.Event
) -> None:
    async with LoopbackWeb() as web:
        seeds, store = [tree(web)], tmp_path / "crawl.db"
        crawling = asyncio.create_task(
            crawl(web.addresses, seeds, store, is_prepared=False, hinterland={"budget": "5"})
        )
        await wait_until(lambda: len(web.requests("seed.test")) >= 13)
        assert not web.requests("outside.test")
        compiling.set()
        ended = await crawling
        assert web.requests("outside.test")
    hinterland = ended.statistics.of(HinterlandStatistics)
    assert hinterland is not None
    assert hinterland.rounds > 0


@pytest.mark.parametrize("policy", ["pagerank", "return-flow", "sc-select", "indegree"])
async def test_a_policy_that_ranks_goes_breadth_first_until_it_can(
    tmp_path: Path, compiling: threading.Event, policy: str
) -> None:
    async with LoopbackWeb() as web:
        seeds = [tree(web)]
        ranked: Change = {"name": policy, "refresh_pages": 2}
        crawling = asyncio.create_task(
            crawl(web.addresses, seeds, tmp_path / "crawl.db", is_prepared=False, policy=ranked)
        )
        await wait_until(lambda: len(web.requests("seed.test")) >= 13)
        compiling.set()
        ended = await crawling
    assert ended.statistics.pages_fetched == 13
    fetched = rows(ended.store, "SELECT depth FROM pages WHERE outcome = 'fetched' ORDER BY visit")
    depths = [depth for (depth,) in fetched]
    assert depths == sorted(depths)
