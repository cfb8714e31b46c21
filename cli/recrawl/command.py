"""The run of `recrawl`: a crawl that goes on from its store, and looks at all of it again."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from hinterland.cli.crawl.looking_again import look_again
from hinterland.cli.crawl.showing import in_events
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.library.crawls.page_budget import last_budget
from hinterland.library.errors import HinterlandError, StoreUnusable
from hinterland.storage.reading.opening import reading


def run(arguments: Namespace) -> int:
    """Returns the exit code. Raises HinterlandError, SettingsError and NoStore for mistakes of the user."""
    return in_events(_run, arguments)


def _run(arguments: Namespace) -> int:
    revisiting = _revisiting(arguments)
    return look_again(arguments, arguments.max_pages or _budget_of_crawl(Path(arguments.store)), revisiting)


def _revisiting(arguments: Namespace) -> Revisiting:
    if arguments.budget is None and (arguments.seconds is not None or arguments.forever):
        given = "--forever" if arguments.forever else "--for"
        raise HinterlandError(f"{given} needs a --budget, such as 5000/day, or max for as many visits as hosts allow")
    if arguments.budget is not None and arguments.once:
        raise HinterlandError("--once looks at every page once, as fast as hosts allow: leave out --budget")
    return Revisiting(arguments.budget, arguments.seconds)


def _budget_of_crawl(path: Path) -> int | None:
    """The --max-pages of the last run, or None. Raises HinterlandError if nothing was fetched."""
    with reading(path) as store:
        runs = store.runs.newest()
        if not runs or not store.pages.has_fetched():
            raise StoreUnusable(f"{path} has no page to look at again; see what `status` says of it")
        return last_budget(runs)
