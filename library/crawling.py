"""Crawls run by a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.crawler.parsing.extraction.hooks import Hook
from hinterland.library.crawls.crawl_run import run
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.progress import CrawlProgress
from hinterland.library.crawls.recrawling import budget_of_crawl, recrawl_plan
from hinterland.library.crawls.seeds import GivenSeed
from hinterland.library.crawls.visit_budget import visits_per_second
from hinterland.library.errors import HinterlandError
from hinterland.library.given_settings import GivenSettings, effective_settings
from hinterland.library.hook_choice import chosen
from hinterland.library.notes import noted, warned
from hinterland.library.plugin_tables import enter_plugins
from hinterland.library.rule_choice import chosen_extraction


def crawl(
    seeds: str | Sequence[str],
    store: str | Path,
    *,
    settings: GivenSettings = None,
    policy: str | None = None,
    max_pages: int | None = None,
    resume: bool = False,
    retry: Sequence[str] = (),
    warc: str | Path | None = None,
    rules: str | Path | None = None,
    plugins: Sequence[str | Path] = (),
    hooks: Sequence[Hook | str] | Mapping[str, Hook] = (),
    cluster: str | None = None,
    on_progress: Callable[[CrawlProgress], None] = lambda _progress: None,
) -> Ending:
    """Crawl into a store and return how the crawl ended, as `hinterland crawl` does with options of these names.

    `settings` maps "section.key" to a value as in settings.toml or, if it is a string, as after --set; settings files
    and environment variables are not read. `rules` is a TOML file that says what to extract from pages. `plugins` are
    Python files with policies, estimators and hooks; they are executed. The program's own file may be one of them.
    `hooks` are `hinterland.hooks.Hook` objects, each of which fills a table of records, and names of installed hooks.
    `cluster` says how many shards crawl, such as "local:4". `on_progress` is called every `report.interval_seconds`.
    Notes and warnings go to the logger "hinterland".

    If an event loop is running already, as in a notebook, the crawl runs in a thread of its own. Ctrl-C finishes the
    visits in flight and returns; a second Ctrl-C stops immediately. What was fetched is in the store in any case.

    Raises HinterlandError if the crawl cannot begin: there is no usable seed, or the store is in use or holds a crawl
    already. Raises MissingPackage if the settings ask for something that is not installed.
    """
    files = [str(each) for each in plugins]
    enter_plugins(files)
    own_hooks, installed_hooks = chosen(hooks)
    effective = effective_settings(settings, {"policy.name": policy})
    given = [seeds] if isinstance(seeds, str) else list(seeds)
    if not given and not resume:
        raise HinterlandError("there is no seed: give at least one URL, or resume=True to resume a crawl")
    plan = CrawlPlan(
        settings=effective,
        seeds=[GivenSeed(seed, f"seed {place}") for place, seed in enumerate(given, 1)],
        store=str(store),
        command=["crawl", *given],
        max_pages=max_pages,
        resume=resume,
        warc=None if warc is None else str(warc),
        retry=retry,
        plugins=[str(Path(file).absolute()) for file in files],
        extraction=chosen_extraction(None if rules is None else str(rules), files, installed_hooks, objects=own_hooks),
        cluster=cluster,
    )
    return run(plan, _Logged(effective.settings.report.interval_seconds, on_progress))


def recrawl(
    store: str | Path,
    *,
    budget: str | None = None,
    seconds: float | None = None,
    older_than: float = 0.0,
    settings: GivenSettings = None,
    max_pages: int | None = None,
    warc: str | Path | None = None,
    plugins: Sequence[str | Path] = (),
    on_progress: Callable[[CrawlProgress], None] = lambda _progress: None,
) -> Ending:
    """Revisit the pages of a store and read what has changed, as `hinterland recrawl` does.

    `budget` is a number of visits per time, such as "5000/day", or "max" for as many as hosts allow; without a budget,
    every page is visited once, except pages that were visited less than `older_than` seconds ago. `seconds` is how long
    a recrawl with a budget lasts; None means until Ctrl-C. No new pages are fetched once the store holds `max_pages`
    pages; None keeps the budget of the last crawl. The other parameters are those of `crawl`.

    Raises HinterlandError or MissingPackage if the recrawl cannot begin, and NoStore.
    """
    if budget is None and seconds is not None:
        raise HinterlandError("`seconds` needs a budget: give one, such as 5000/day or max")
    if budget is not None and older_than:
        raise HinterlandError("older_than cannot be combined with a budget: leave out one of the two")
    try:
        visits = None if budget is None else visits_per_second(budget)
    except ValueError as error:
        raise HinterlandError(f"budget: {error}") from None
    files = [str(each) for each in plugins]
    enter_plugins(files)
    effective = effective_settings(settings)
    plan = recrawl_plan(
        str(store),
        effective,
        ["recrawl", str(store)],
        Revisiting(visits, seconds, older_than),
        max_pages=max_pages or budget_of_crawl(Path(store)),
        warc=None if warc is None else str(warc),
        plugins=files,
    )
    return run(plan, _Logged(effective.settings.report.interval_seconds, on_progress))


class _Logged:
    """An observer for programs: it logs notes and warnings, and passes progress on to a function."""

    def __init__(self, interval_seconds: float, on_progress: Callable[[CrawlProgress], None]) -> None:
        self.interval_seconds = interval_seconds
        self._on_progress = on_progress

    def note(self, text: str) -> None:
        noted(text)

    def warn(self, text: str) -> None:
        warned(text)

    def progress(self, progress: CrawlProgress) -> None:
        self._on_progress(progress)

    def phase(self, phase: ProgressStep) -> None:
        noted(f"{phase.doing}: {phase.done:d} of {phase.of:d}")

    def close(self) -> None:
        pass
