"""`recrawl`: revisits the pages of a store and updates it."""

from __future__ import annotations

import argparse
from argparse import Namespace
from pathlib import Path

from hinterland.cli.budget_options import visit_budget
from hinterland.cli.command_parser import (
    CommandParser,
    add_plugin_option,
    add_settings_options,
    add_store,
    at_least_one,
)
from hinterland.cli.exit_codes import exit_code_table
from hinterland.library.errors import HinterlandError
from hinterland.library.text.moments import NoMoment, seconds_of

EXAMPLES = """\
examples:
  python3 run.py recrawl hinterland.db
      visit every page of the store once more, and read what is new
  python3 run.py recrawl hinterland.db --budget 5000/day --for 1h
      for an hour, at 5,000 visits a day: pages that change often and matter come first and more often
  python3 run.py recrawl hinterland.db --budget 5000/day --forever
      the same until Ctrl-C; the store remembers how often pages change
  python3 run.py recrawl hinterland.db --older-than 30d
      fetch what is missing, and visit the pages that were last visited longer ago than a month
  python3 run.py recrawl hinterland.db --warc archive
      also archive it; an unchanged page takes one line there
  python3 run.py changes hinterland.db --since 1d
      list what it found; `diff` shows a page before and after, and `index` updates the search index

Requests carry validators (ETag, Last-Modified), so most servers need not send unchanged pages; these are not parsed
again. robots.txt, the rests of hosts and the scope hold as in the crawl, whose settings are kept. A page that fails or
is not found keeps its content until it is gone for good: see docs/recrawling.md. Ctrl-C loses nothing that was fetched.
The same command then continues if it has a budget; without one it visits every page again.

""" + exit_code_table()


def duration(text: str) -> float:
    """Return a length of time in seconds."""
    try:
        return seconds_of(text)
    except NoMoment as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_arguments(command: CommandParser) -> None:
    """Add the options of `recrawl`."""
    add_store(command)
    command.add_argument(
        "--budget",
        type=visit_budget,
        metavar="N/UNIT",
        help="visits per day, hour, minute or second (5000/day, 3/s), or max for as many as hosts allow; pages that"
        " change often and matter are visited most",
    )
    times = command.add_mutually_exclusive_group()
    times.add_argument("--once", action="store_true", help="visit every page once (the default without a budget)")
    times.add_argument("--for", dest="seconds", type=duration, metavar="TIME", help="end after this time: 30m, 12h, 7d")
    times.add_argument("--forever", action="store_true", help="go on until Ctrl-C (the default with a budget)")
    command.add_argument(
        "--older-than",
        type=duration,
        default=0.0,
        metavar="TIME",
        help="without a budget: only pages that were last visited longer ago than this: 12h, 30d",
    )
    command.add_argument(
        "--max-pages",
        type=at_least_one,
        metavar="N",
        help="fetch no new pages once the store holds N HTML pages (default: the budget of the last crawl)",
    )
    command.add_argument(
        "--warc",
        metavar="DIR",
        help="also archive every request and response in this folder, as WARC files with an index for replay",
    )
    command.add_argument(
        "--log-json", action="store_true", help="write progress, warnings and the summary as JSON lines to stdout"
    )
    add_plugin_option(command)
    add_settings_options(command)


def run(arguments: Namespace) -> int:
    """Revisit the pages of a store; returns the exit code.

    Raises HinterlandError, SettingsError and NoStore for mistakes of the user.
    """
    # Imported only now, so that --help need not wait:
    from hinterland.cli.crawl.showing import display_of, failures_in_events, recorded_arguments
    from hinterland.cli.settings_sources import read_settings
    from hinterland.crawler.features.recrawl.revisiting import Revisiting
    from hinterland.library.crawls.crawl_run import run as crawled
    from hinterland.library.crawls.recrawling import budget_of_crawl, recrawl_plan
    from hinterland.library.plugin_tables import enter_plugins

    with failures_in_events(log_json=arguments.log_json) as exit_code:
        _check(arguments)
        max_pages = arguments.max_pages or budget_of_crawl(Path(arguments.store))
        enter_plugins(arguments.plugins)
        plan = recrawl_plan(
            arguments.store,
            read_settings(arguments),
            recorded_arguments(arguments.command_line),
            Revisiting(arguments.budget, arguments.seconds, arguments.older_than),
            max_pages=max_pages,
            warc=arguments.warc,
            plugins=arguments.plugins,
        )
        with display_of(plan, log_json=arguments.log_json) as display:
            ending = crawled(plan, display)
            display.ended(ending)
        exit_code.value = ending.reason.exit_code
    return exit_code.value


def _check(arguments: Namespace) -> None:
    """Raise HinterlandError for options that contradict each other."""
    if arguments.budget is None and (arguments.seconds is not None or arguments.forever):
        given = "--forever" if arguments.forever else "--for"
        raise HinterlandError(f"{given} needs a --budget, such as 5000/day, or max for as many visits as hosts allow")
    if arguments.budget is not None and arguments.older_than:
        raise HinterlandError("--older-than cannot be combined with --budget, which revisits pages by their changes")
    if arguments.budget is not None and arguments.once:
        raise HinterlandError("--once visits every page once, as fast as hosts allow: leave out --budget")
