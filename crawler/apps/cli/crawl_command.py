"""`crawl`: from the command line to a crawl and its exit code."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import uvloop

from crawler.apps.cli.crawl_run import CrawlPlan, crawl
from crawler.apps.cli.display import Display
from crawler.apps.cli.exit_codes import BUG, USAGE, CommandError
from crawler.apps.cli.json_lines import JsonLines
from crawler.apps.cli.output import Output
from crawler.apps.cli.plain_lines import PlainLines
from crawler.apps.cli.recorded_arguments import recorded_arguments
from crawler.apps.cli.seeds import GivenSeed, seeds_in
from crawler.apps.cli.settings_sources import read_settings
from crawler.apps.text.wording import printable
from crawler.settings import SettingsError


def run(arguments: Namespace, command: Sequence[str]) -> int:
    """The exit code; raises CommandError and SettingsError for what the user can mend, all else is a bug."""
    if not arguments.log_json:
        return _run(arguments, command)
    failures = JsonLines(Output(sys.stdout), 0.0)
    try:
        return _run(arguments, command)
    except (CommandError, SettingsError) as error:
        exit_code = error.exit_code if isinstance(error, CommandError) else USAGE
        failures.failed(str(error), exit_code)
        return exit_code
    except Exception as error:
        failures.failed(f"a bug of Hinterland: {error!r}", BUG, traceback.format_exc())
        return BUG


def _run(arguments: Namespace, command: Sequence[str]) -> int:
    options = {
        "policy.name": arguments.policy,
        "scope.kind": arguments.scope,
        "scope.max_depth": arguments.max_depth,
        "hinterland.budget": arguments.hinterland,
        "hinterland.refresh_pages": arguments.refresh_pages,
        "hinterland.until_change": arguments.until_change,
        "hinterland.share": arguments.hinterland_share,
    }
    settings = read_settings(arguments, options)
    seeds = given_seeds(arguments.seeds, arguments.seeds_file)
    if not seeds and not arguments.resume:
        raise CommandError(
            "there is no seed to begin with; name a URL, a file of them with --seeds FILE, or go on with an"
            " earlier crawl with --resume"
        )
    plan = CrawlPlan(
        settings,
        seeds,
        arguments.store,
        recorded_arguments(command),
        arguments.max_pages,
        arguments.resume,
        arguments.warc,
        arguments.retry,
    )
    display = choose_display(arguments.store, settings.settings.report.interval_seconds, arguments.log_json)
    for warning in settings.warnings:
        display.warn(warning)
    return show(plan, display)


def show(plan: CrawlPlan, display: Display) -> int:
    """Run a crawl in front of a display; returns its exit code."""
    handler = _WarningsToDisplay(display)
    logging.getLogger().addHandler(handler)
    try:
        ending = uvloop.run(crawl(plan, display))
        display.ended(ending)
        return ending.reason.exit_code
    finally:
        display.close()
        logging.getLogger().removeHandler(handler)


def choose_display(store: str, interval_seconds: float, log_json: bool = False) -> Display:
    result = Output(sys.stdout)
    if log_json:
        return JsonLines(result, interval_seconds)
    if sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        from crawler.apps.cli.live_display import LiveDisplay

        return LiveDisplay(sys.stderr, result, store)
    return PlainLines(Output(sys.stderr), result, interval_seconds)


def given_seeds(seeds: Sequence[str], file: str | None) -> list[GivenSeed]:
    """The seeds of the command line, then those of the file; "-" is stdin. Raises CommandError."""
    given = [GivenSeed(text, f"seed {number}") for number, text in enumerate(seeds, 1)]
    if file is None:
        return given
    try:
        octets = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"the seeds cannot be read: {error}") from None
    text = octets.decode("utf-8-sig", errors="replace")
    return given + seeds_in(text.splitlines(), "stdin" if file == "-" else file)


class _WarningsToDisplay(logging.Handler):
    """What libraries log as a warning or worse must not write across the display."""

    def __init__(self, display: Display) -> None:
        super().__init__(logging.WARNING)
        self._display = display

    def emit(self, record: logging.LogRecord) -> None:
        self._display.warn(printable(self.format(record)))
