"""`crawl --cluster`, with processes as in earnest."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from crawler.apps.cli.crawl.cluster_run import ClusterRun, shards_of
from crawler.apps.cli.crawl.crawl_run import CrawlPlan
from crawler.apps.cli.exit_codes import CommandError
from crawler.apps.cli.seeds import GivenSeed
from crawler.apps.cluster.places import Others, ShardOrder
from crawler.apps.cluster.processes import LocalProcesses, ShardProcess
from crawler.decisions.endings import EndReason
from crawler.settings import EffectiveSettings
from tests.crawler.apps.cluster.test_driver import ring, same
from tests.support.crawling import crawl, quick_settings, wait_until
from tests.support.hinterland import Memory
from tests.support.in_process import complaint
from tests.support.web import LoopbackWeb

WEB_WIDE = {"kind": "web", "exclude": ("outside",)}


def run_of(web: LoopbackWeb, seeds: list[str], store: Path) -> tuple[ClusterRun, Memory]:
    settings = quick_settings(web.addresses, scope=WEB_WIDE, fetching={"max_in_flight": 4})
    given = [GivenSeed(seed, "a seed") for seed in seeds]
    display = Memory()
    plan = CrawlPlan(EffectiveSettings(settings, {}), given, str(store), ["crawl"], cluster="local:2")
    return ClusterRun(plan, display, 2), display


async def test_a_process_that_is_killed_is_started_again_and_the_store_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[ShardProcess] = []
    start = LocalProcesses.start

    async def noted(self: LocalProcesses, order: ShardOrder, others: Others) -> ShardProcess:
        started.append(await start(self, order, others))
        return started[-1]

    monkeypatch.setattr(LocalProcesses, "start", noted)
    async with LoopbackWeb(latency=0.01) as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        web.log.clear()
        run, display = run_of(web, seeds, tmp_path / "all.db")
        running = asyncio.create_task(run.run())
        await wait_until(lambda: len(web.log) > 15)
        os.kill(started[0].process.pid, signal.SIGKILL)
        ending = await running
        again = sum(count - 1 for count in web.fetches().values())
    assert ending.reason is EndReason.EXHAUSTED
    same(alone.store, tmp_path / "all.db")
    assert any("killed by signal 9" in warning for warning in display.warnings)
    assert again <= 2
    assert ending.content is not None
    assert ending.content.pages.of("waiting") == 0


@pytest.mark.parametrize("text", ["remote", "local:0", "local:x", "local:", "local:65", ""])
def test_a_cluster_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match="expected local:N"):
        shards_of(text)


def test_what_a_part_alone_cannot_do_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    base = ("crawl", "http://a.test", "--store", store, "--cluster", "local:2")
    assert "does not go with a hinterland" in complaint(capsys, *base, "--hinterland", "1.0")
    few = ("--set", "politeness.address_connections=1")
    assert "2 shards cannot share so few connections" in complaint(capsys, *base, *few)
    assert not list(tmp_path.iterdir())


def test_parts_are_gone_on_with_as_they_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    again = ("crawl", "--resume", "--store", store, "--cluster", "local:2")
    assert "holds no parts of a crawl" in complaint(capsys, *again, exit_code=3)
    folder = tmp_path / "s.db.shards"
    folder.mkdir()
    (folder / "crawl.json").write_text('{"crawl": "x", "shards": 3, "epochs": [0, 0, 0], "joined": null}')
    assert "holds a crawl in 3 parts, so go on with --cluster local:3" in complaint(capsys, *again, exit_code=3)
    new = ("crawl", "http://a.test", "--store", store, "--cluster", "local:3")
    assert "holds the parts of a crawl already" in complaint(capsys, *new, exit_code=3)
    (folder / "crawl.json").write_text("{")
    assert "is damaged" in complaint(capsys, *again, exit_code=3)
