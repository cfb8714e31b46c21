"""Inject faults into a clean site, and count what an audit finds of them and what else it reports.

    python -m benchmarks.injected_faults [--faults 200] [--pages 600] [--seeds 1 2 3] [--linkchecker COMMAND]

The site has three loopback hosts: one by http, one by https, and one that is only linked. It is crawled by the command
line without rests between requests, and with all other settings as they are. With --linkchecker, LinkChecker then
checks the same site.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import run
from typing import Final

from benchmarks.injected_faults.clean_site import clean_site
from benchmarks.injected_faults.injecting import Said, inject
from benchmarks.injected_faults.judging import said_by
from benchmarks.injected_faults.linkchecker import run_linkchecker, said_by_linkchecker, urls_of
from benchmarks.injected_faults.server import SiteServer, certificate_for
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.library.audit.finding import State

_WITHOUT_RESTS: Final = (
    *("politeness.delay_seconds=0", "politeness.delay_factor=0", "politeness.address_delay_seconds=0"),
    *("politeness.address_connections=64", "fetching.allow_networks=127.0.0.0/8"),
)

_CUT: Final = EndReason.MAX_PAGES.exit_code


@dataclass(frozen=True, slots=True)
class Cost:
    """What a program has taken: seconds by the clock and of CPU, requests, and distinct URLs among them."""

    seconds: float
    cpu: float
    requests: int
    urls: int

    def __str__(self) -> str:
        """Return the numbers in words."""
        return f"{self.seconds:.1f} s, {self.cpu:.1f} s of CPU, {self.requests} requests for {self.urls} URLs"


async def taken(work: Callable[[], object], server: SiteServer) -> Cost:
    """Let a program that is started by `work` run in a thread beside the server."""
    server.requests.clear()
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    await asyncio.to_thread(work)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    urls = {url for _, url in server.requests}
    return Cost(time.monotonic() - began, cpu, server.requests.total(), len(urls))


def crawl_command(store: Path, seeds: Sequence[str], certificate: Path, *options: str) -> list[str]:
    """Return the command that crawls a site with all that an audit may need."""
    settings = [*_WITHOUT_RESTS, f"fetching.ca_file={certificate}"]
    given = [part for each in settings for part in ("--set", each)]
    return [sys.executable, "run.py", "crawl", *seeds, "--check-links", "--store", str(store), *given, *options]


def crawl(store: Path, seeds: Sequence[str], certificate: Path, *options: str) -> None:
    """Crawl a site. Exits if the crawl fails."""
    done = run(crawl_command(store, seeds, certificate, *options), check=False, capture_output=True, text=True)
    if done.returncode not in (0, _CUT):
        sys.exit(done.stderr[-3_000:])


async def measure(pages: int, faults: int, seed: int, folder: Path, linkchecker: Path | None) -> tuple[int, int]:
    """Inject faults by a seed; print and return how many the audit misses, and how many it reports beside them."""
    store, dice = folder / f"{seed}.db", random.Random(seed)
    async with SiteServer() as server:
        site = clean_site(server.home, server.secure, server.outside, pages, dice)
        expected = inject(site, faults, dice)
        context, certificate = certificate_for(folder, site.certificate_days)
        server.show(site)
        await server.serve(context)
        print(f"seed {seed}: {len(site.pages)} pages, {faults} faults, {len(expected)} findings expected", flush=True)
        cost = await taken(lambda: crawl(store, site.seeds, certificate), server)
        said, report = said_by(store)
        unsaid = [each.rule.name for each in report.findings if each.state not in (State.FOUND, State.NONE)]
        if unsaid:
            print(f"  not said: {', '.join(unsaid)}")
        print(f"  Hinterland: {cost}")
        show("missing", expected - said)
        show("false", said - expected)
        if linkchecker is not None:
            cost = await taken(lambda: run_linkchecker(linkchecker, site.seeds, certificate, folder), server)
            print(f"  LinkChecker: {cost}")
            fine = {url for url, reply in site.sent().items() if reply.status < 400}
            compare(expected, said, said_by_linkchecker(folder / "linkchecker.csv"), fine)
    return len(expected - said), len(said - expected)


def show(what: str, pairs: Said) -> None:
    """Print how many findings there are, and the first ones."""
    print(f"    {what}: {len(pairs)}")
    for rule, url in sorted(pairs)[:20]:
        print(f"      {rule}: {url}")


def compare(expected: Said, ours: Said, theirs: set[str], fine: set[str]) -> None:
    """Print what both find of the faults that LinkChecker looks for, too; `fine` are URLs that the server serves."""
    true, refused = urls_of(expected), {url for rule, url in expected if rule.startswith("unchecked-")}
    print("    of faulty links, files and anchors:")
    for name, said in (("Hinterland", urls_of(ours)), ("LinkChecker", theirs)):
        false = {url for url in said - true - refused if url in fine or not url.startswith("http")}
        print(
            f"      {name:12} found {len(said & true)} of {len(true)}, said of {len(said & refused)} of"
            f" {len(refused)} refused ones that they are broken, and of {len(false)} others: {sorted(false)[:5]}"
        )
    missing = Counter(rule for rule, url in expected if url in true - theirs)
    print(f"      LinkChecker misses: {dict(missing)}")


def main() -> None:
    """Measure for each seed, and print the sums."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--faults", type=int, default=200)
    arguments.add_argument("--pages", type=int, default=600)
    arguments.add_argument("--seeds", type=int, nargs="+", default=[1])
    arguments.add_argument("--linkchecker", type=Path, help="its command")
    given = arguments.parse_args()
    missing = false = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)  # LinkChecker gives up the rights of root
        for seed in given.seeds:
            lost, wrong = asyncio.run(measure(given.pages, given.faults, seed, folder, given.linkchecker))
            missing, false = missing + lost, false + wrong
    print(f"{len(given.seeds)} sites with {given.faults} faults each: {missing} findings missing, {false} false")


if __name__ == "__main__":
    main()
