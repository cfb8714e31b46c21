"""A crawl run by a program."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import uvloop

from hinterland.cli.crawl.display import Display
from hinterland.crawler.fetching.client import event_loop
from hinterland.crawler.loop.decisions.phases import Phase
from hinterland.crawler.parsing.extraction.hooks import Hook
from hinterland.crawler.settings import SettingsError, load_settings
from hinterland.library.crawls.crawl_run import crawl as carried_out
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.interruption import Interruption
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.progress import Progress
from hinterland.library.crawls.seeds import GivenSeed
from hinterland.library.errors import HinterlandError
from hinterland.library.hook_choice import chosen
from hinterland.library.plugin_tables import enter_plugins
from hinterland.library.rule_choice import wanted

_LOG: Final = logging.getLogger("hinterland")


def crawl(
    seeds: str | Sequence[str],
    store: str | Path,
    *,
    settings: Mapping[str, object] | None = None,
    policy: str | None = None,
    max_pages: int | None = None,
    resume: bool = False,
    retry: Sequence[str] = (),
    warc: str | Path | None = None,
    rules: str | Path | None = None,
    plugins: Sequence[str | Path] = (),
    hooks: Sequence[Hook | str] | Mapping[str, Hook] = (),
    on_progress: Callable[[Progress], None] = lambda _progress: None,
) -> Ending:
    """Crawl into a store and return how that ended: what `hinterland crawl` does with the options of these names.

    settings: "section.key" -> value, as in settings.toml or, as a text, after --set; nothing else is looked at, neither
    a file nor the environment. rules: a TOML file of what to take out of pages. plugins: Python files with policies,
    estimators and hooks, which are run; the program itself may be one of them. hooks: `hinterland.hooks.Hook` objects,
    each of which fills a table of records, and names of installed ones. on_progress: is called every
    `report.interval_seconds`. Notes and warnings go to the logger "hinterland".

    Where an event loop is running already, as in a notebook, it works in a thread of its own. Ctrl-C finishes what is
    under way and returns; a second one stops at once. What was fetched is in the store in any case.

    Raises HinterlandError if the crawl cannot begin: no usable seed, a store that is in use or holds a crawl already.
    """
    enter_plugins([str(each) for each in plugins])
    own_hooks, installed_hooks = chosen(hooks)
    given_settings = {"policy.name": policy, **(settings or {})}
    texts = [f"{name}={value}" for name, value in given_settings.items() if isinstance(value, str)]
    values = {name: value for name, value in given_settings.items() if not isinstance(value, str)}
    try:
        effective = load_settings(None, "", {}, texts, values)
    except SettingsError as error:
        raise HinterlandError(str(error)) from error
    given = [seeds] if isinstance(seeds, str) else list(seeds)
    files = [str(each) for each in plugins]
    if not given and not resume:
        raise HinterlandError("there is no seed: give at least one URL, or resume=True to go on with a crawl")
    plan = CrawlPlan(
        effective,
        [GivenSeed(seed, f"seed {place}") for place, seed in enumerate(given, 1)],
        str(store),
        ["crawl", *given],
        max_pages,
        resume,
        None if warc is None else str(warc),
        retry,
        wanted=wanted(None if rules is None else str(rules), files, installed_hooks, objects=own_hooks),
    )
    display = _Logged(effective.settings.report.interval_seconds, on_progress)
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # there is none
        return uvloop.run(carried_out(plan, display), loop_factory=event_loop.CrawlLoop)
    return _in_a_thread(plan, display)


def _in_a_thread(plan: CrawlPlan, display: Display) -> Ending:
    interruption = Interruption(display)
    loops: list[asyncio.AbstractEventLoop] = []
    has_begun = threading.Event()

    async def crawled() -> Ending:
        loops.append(asyncio.get_running_loop())
        has_begun.set()
        return await carried_out(plan, display, interruption)

    with ThreadPoolExecutor(1, "crawl") as threads:
        ending = threads.submit(uvloop.run, crawled(), loop_factory=event_loop.CrawlLoop)
        while True:
            try:
                return ending.result()
            except KeyboardInterrupt:
                has_begun.wait()
                loops[0].call_soon_threadsafe(interruption.press)


class _Logged:
    """A display for programs: what it is told goes to the log, and progress to whoever asked for it."""

    def __init__(self, interval_seconds: float, on_progress: Callable[[Progress], None]) -> None:
        self.interval_seconds = interval_seconds
        self._on_progress = on_progress

    def note(self, text: str) -> None:
        _LOG.info(text)

    def warn(self, text: str) -> None:
        _LOG.warning(text)

    def progress(self, progress: Progress) -> None:
        self._on_progress(progress)

    def phase(self, phase: Phase) -> None:
        _LOG.info("%s: %d of %d", phase.doing, phase.done, phase.of)

    def close(self) -> None:
        pass

    def ended(self, ending: Ending) -> None:
        pass
