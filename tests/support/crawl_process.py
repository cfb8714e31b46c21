"""A crawl in a process of its own, for tests that kill it: `python -m tests.support.crawl_process ORDER`.

ORDER is the JSON of a CrawlOrder. Prints the reason for its end. To import the crawler takes two seconds of CPU time,
so `CrawlOrder.start` has the process forked by `ready_program`, which has imported it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import uvloop

from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.fetching.client import event_loop
from tests.support.crawling import crawl
from tests.support.ready_programs import ready

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class CrawlOrder:
    """What to crawl: a web, a store, perhaps an archive, and changes to the quick settings by section. is_recrawl: at
    what the store has."""

    addresses: dict[str, str]
    seeds: list[str]
    store: str
    changes: dict[str, dict[str, Any]] = field(default_factory=dict)
    warc: str | None = None
    is_recrawl: bool = False

    def command(self) -> list[str]:
        """How to start it with an environment of its own, in the folder ROOT."""
        return [sys.executable, "-m", "tests.support.crawl_process", json.dumps(asdict(self))]

    def start(self) -> CrawlProcess:
        command = [*ready(Path(__file__)), json.dumps(asdict(self))]
        return CrawlProcess(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


class CrawlProcess(subprocess.Popen[str]):
    """What stands in for the crawl; the crawl is killed when this is."""

    def kill(self) -> None:
        """By SIGKILL, and wait until the crawl is gone, and all that had its output open."""
        super().kill()
        if self.stdout is not None and not self.stdout.closed:
            self.stdout.read()

    def reason(self) -> str:
        """Why it ended, once it has."""
        said, _ = self.communicate(timeout=120)
        assert self.returncode == 0
        return said.split()[-1]


async def carry_out(order: CrawlOrder) -> None:
    changes: dict[str, Any] = {**order.changes}
    warc = None if order.warc is None else Path(order.warc)
    crawled = await crawl(
        order.addresses,
        order.seeds,
        Path(order.store),
        in_processes=True,
        warc=warc,
        revisiting=Revisiting() if order.is_recrawl else None,
        **changes,
    )
    print(crawled.reason.label, flush=True)


if __name__ == "__main__":
    uvloop.run(carry_out(CrawlOrder(**json.loads(sys.argv[1]))), loop_factory=event_loop.CrawlLoop)
