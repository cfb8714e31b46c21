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
      look at every page of the store again, once, and read what is new
  python3 run.py recrawl hinterland.db --budget 5000/day --for 1h
      for an hour, at a pace of 5,000 visits a day: pages that change often and matter come first, and more often
  python3 run.py recrawl hinterland.db --budget 5000/day --forever
      the same until Ctrl-C; what was learnt of how often pages change stays in the store
  python3 run.py recrawl hinterland.db --warc archive
      and archive it; what has not changed costs a line there
  python3 run.py changes hinterland.db --since 1d
      what it found; `diff` shows a page before and after, and `index` takes over what has changed

Pages are asked for by their validators (ETag, Last-Modified), so that most servers need not send what has not changed,
and nothing of that is read again. What robots.txt, the rests of hosts and the scope of the crawl ask for holds as in
the crawl, whose settings stay. A page that fails, or is not found, keeps what was read of it until it is gone for good:
see docs/recrawling.md. Ctrl-C at any time loses nothing of what was looked at; the same command then goes on if it has
a budget, and without one looks at every page again.

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
        help="so many visits a day, hour, minute or second (5000/day, 3/s), or max for as many as hosts allow; to which"
        " pages they go, and how often, follows from how often each changes and what it is worth",
    )
    times = command.add_mutually_exclusive_group()
    times.add_argument("--once", action="store_true", help="look at every page once (without a budget, the default)")
    times.add_argument("--for", dest="seconds", type=duration, metavar="TIME", help="end after so long: 30m, 12h, 7d")
    times.add_argument("--forever", action="store_true", help="go on until Ctrl-C (with a budget, the default)")
    command.add_argument(
        "--max-pages",
        type=at_least_one,
        metavar="N",
        help="read no new pages beyond N HTML pages in the store (default: what the last crawl was given)",
    )
    command.add_argument(
        "--warc",
        metavar="DIR",
        help="also archive every request and response in that folder, as WARC files with an index for replay",
    )
    command.add_argument(
        "--log-json", action="store_true", help="progress, warnings and the end as JSON lines on stdout"
    )
    add_plugin_option(command)
    add_settings_options(command)


def run(arguments: Namespace) -> int:
    """Revisit the pages of a store; returns the exit code.

    Raises HinterlandError, SettingsError and NoStore for mistakes of the user.
    """
    # What --help need not wait for:
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
            Revisiting(arguments.budget, arguments.seconds),
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
    if arguments.budget is not None and arguments.once:
        raise HinterlandError("--once looks at every page once, as fast as hosts allow: leave out --budget")
