"""Crawls of a faulty site that are ended at random, and what their audits say that the whole crawl takes back.

    python -m benchmarks.injected_faults.cuts [--cuts 100] [--pages 220] [--seed 1]

Half of the crawls end after a random number of pages, half are killed after a random number of requests. No audit of
one may call a page an orphan, nor find anything that the audit of the whole crawl does not find.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Final

from benchmarks.injected_faults.__main__ import crawl, crawl_command
from benchmarks.injected_faults.clean_site import clean_site
from benchmarks.injected_faults.injecting import KINDS, Said, inject
from benchmarks.injected_faults.judging import said_by
from benchmarks.injected_faults.server import SiteServer, certificate_for
from benchmarks.injected_faults.site import FaultySite
from hinterland.library.audit.finding import AuditReport, State
from hinterland.storage.no_store import NoStore

_TAKE_TIME: Final = ("link to an error", "outside link to an error", "a script with an error", "a slow page")
"""Kinds that are asked for again after half a minute, or answered late."""
_FEWEST_REQUESTS, _LOOK_SECONDS = 10, 0.01


def cut_crawl(store: Path, site: FaultySite, certificate: Path, dice: random.Random, server: SiteServer) -> None:
    """Crawl, and end it after a random number of pages, or kill it after a random number of requests."""
    if dice.random() < 0.5:
        crawl(store, site.seeds, certificate, "--max-pages", str(dice.randrange(1, len(site.pages))))
        return
    server.requests.clear()
    most = dice.randrange(_FEWEST_REQUESTS, len(site.pages))
    with Popen(crawl_command(store, site.seeds, certificate), stdout=DEVNULL, stderr=DEVNULL) as process:
        while process.poll() is None and server.requests.total() < most:
            time.sleep(_LOOK_SECONDS)
        process.kill()


async def measure(cuts: int, pages: int, seed: int, folder: Path) -> None:
    """Audit cuts of a crawl, and print what they say too much."""
    dice = random.Random(seed)
    async with SiteServer() as server:
        site = clean_site(server.home, server.secure, server.outside, pages, dice)
        inject(site, len(KINDS) - len(_TAKE_TIME), dice, without=_TAKE_TIME)
        context, certificate = certificate_for(folder, site.certificate_days)
        server.show(site)
        await server.serve(context)
        whole_store = folder / "whole.db"
        await asyncio.to_thread(crawl, whole_store, site.seeds, certificate)
        whole, _ = said_by(whole_store)
        tally, retracted, sizes = Counter[str](), Counter[str](), list[int]()
        for number in range(cuts):
            store = folder / f"{number}.db"
            await asyncio.to_thread(cut_crawl, store, site, certificate, dice, server)
            try:
                said, report = said_by(store)
            except NoStore:
                tally["killed before there was a store"] += 1
                continue
            tally.update(_judged(said, report))
            retracted.update(rule for rule, _ in said - whole)
            sizes.append(report.coverage.pages)
            store.unlink()
            if number % 20 == 19:
                print(f"  {number + 1} cuts: {dict(tally)}, taken back: {dict(retracted) or 0}", flush=True)
    print(f"{cuts} cuts of a crawl of {len(site.pages)} pages with {len(whole)} findings: {dict(tally)}")
    print(f"pages read: {min(sizes)} to {max(sizes)}, {sorted(sizes)[len(sizes) // 2]} in half of them")
    print(f"findings that the whole crawl takes back: {dict(retracted) or 0}")


def _judged(said: Said, report: AuditReport) -> Counter[str]:
    [orphans] = [each for each in report.findings if each.rule.name == "orphan"]
    return Counter(
        {
            "pages called orphans": sum(rule == "orphan" for rule, _ in said if not report.coverage.is_whole),
            "said that orphans cannot be named yet": int(orphans.state is State.NOT_YET),
            "were complete": int(report.coverage.is_whole),
        }
    )


def main() -> None:
    """Measure with the options of the command line."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cuts", type=int, default=100)
    arguments.add_argument("--pages", type=int, default=220)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(measure(given.cuts, given.pages, given.seed, Path(name)))


if __name__ == "__main__":
    main()
