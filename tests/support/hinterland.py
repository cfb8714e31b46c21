"""The program as its users start it, and crawls of tests/support/web.py in front of a display that remembers."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hinterland.crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.crawler.settings import load_settings
from hinterland.library.crawls.crawl_run import crawl
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.progress import CrawlProgress
from hinterland.library.crawls.seeds import GivenSeed
from tests.support.ready_programs import ready
from tests.support.web import LoopbackWeb

ROOT = Path(__file__).parents[2]
QUICK = (
    *("politeness.delay_seconds=0", "politeness.delay_factor=0", "politeness.address_delay_seconds=0"),
    *("politeness.backoff_seconds=0.01", "robots.retry_seconds=0.1", "fetching.allow_networks=127.0.0.0/8"),
    *("report.interval_seconds=0.1", "parsing.processes=1"),
)


def overrides(web: LoopbackWeb, *more: str) -> list[str]:
    """Settings for a quick crawl of a loopback web."""
    addresses = ",".join(f"{name}={address}" for name, address in web.addresses.items())
    return [*QUICK, f"fetching.addresses={addresses}", *more]


async def start(
    *arguments: str, web: LoopbackWeb | None = None, stderr: int = PIPE, is_itself: bool = False
) -> Process:
    """`python run.py arguments`, with the settings for this web if there is one.

    is_itself: the process is that of the program, for tests that kill it or ask for its number; else one that stands in
    for it.
    """
    program = [sys.executable, str(ROOT / "run.py")] if is_itself else ready(ROOT / "run.py")
    command = [*program, *arguments]
    if web is not None:
        command += [part for override in overrides(web) for part in ("--set", override)]
    ours = {"HINTERLAND_NO_SETUP": "1", "TERM": "xterm"}
    environment = {**os.environ, **ours}
    return await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=PIPE, stderr=stderr, env=environment
    )


async def line_with(stream: asyncio.StreamReader | None, text: str) -> str:
    """Reads lines until one holds `text`."""
    assert stream is not None
    seen = ""
    while line := (await stream.readline()).decode():
        seen += line
        if text in line:
            return line
    raise AssertionError(f"{text!r} never came, only: {seen}")


@dataclass
class Memory:
    """A Display that remembers what it was given."""

    interval_seconds: float = 0.01
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    shown: list[CrawlProgress] = field(default_factory=list)
    phases: list[ProgressStep] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def progress(self, progress: CrawlProgress) -> None:
        self.shown.append(progress)

    def phase(self, phase: ProgressStep) -> None:
        self.phases.append(phase)

    def close(self) -> None:
        pass

    def ended(self, ending: Ending) -> None:
        raise AssertionError("the caller of the crawl reports its end")


async def crawled(
    web: LoopbackWeb,
    store: Path,
    *seeds: str,
    display: Memory | None = None,
    settings: tuple[str, ...] = (),
    options: dict[str, object] | None = None,
    max_pages: int | None = None,
    resume: bool = False,
    file: str | None = None,
    retry: Sequence[str] = (),
    forgets: tuple[str, ...] = (),
    retry_rules: RetryRules = RETRY_RULES,
) -> Ending:
    """A crawl in this process; `settings` as for --set, `options` as from options of their own; `forgets`: settings
    that are not given this time."""
    given_settings = [each for each in overrides(web, *settings) if each.partition("=")[0] not in forgets]
    effective = load_settings(file, "settings.toml", {}, given_settings, options or {})
    given = [GivenSeed(seed, f"seed {number}") for number, seed in enumerate(seeds, 1)]
    plan = CrawlPlan(
        effective, given, str(store), ["crawl", *seeds], max_pages, resume, retry=retry, retry_rules=retry_rules
    )
    return await crawl(plan, display or Memory())
