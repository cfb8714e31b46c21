"""A crawl in front of a display: warnings go there, failures that keep it from beginning are events with --log-json,
and what is recorded of the command line holds no secret."""

from __future__ import annotations

import logging
import sys
import traceback
from argparse import Namespace
from collections.abc import Callable, Sequence

import uvloop

from hinterland.cli.crawl.display import Display, choose_display
from hinterland.cli.crawl.lines import JsonLines
from hinterland.cli.exit_codes import BUG, USAGE
from hinterland.cli.output import Output
from hinterland.crawler.fetching.client import event_loop
from hinterland.crawler.parsing.compiled.freed_memory import keep_little_freed_memory
from hinterland.crawler.settings import SECTIONS, SettingsError
from hinterland.crawler.settings.rules import HIDDEN
from hinterland.library.crawls.crawl_run import crawl
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import printable


def in_events(command: Callable[[Namespace], int], arguments: Namespace) -> int:
    """Run a command; with --log-json, what keeps it from beginning is an event, too."""
    if not arguments.log_json:
        return command(arguments)
    failures = JsonLines(Output(sys.stdout), 0.0)
    try:
        return command(arguments)
    except (HinterlandError, SettingsError) as error:
        exit_code = error.exit_code if isinstance(error, HinterlandError) else USAGE
        failures.failed(str(error), exit_code)
        return exit_code
    except Exception as error:
        failures.failed(f"a bug in Hinterland: {error!r}", BUG, traceback.format_exc())
        return BUG


def display_of(plan: CrawlPlan, arguments: Namespace) -> Display:
    """Where the crawl is shown; what is doubtful about its settings is shown there already."""
    display = choose_display(plan.store, plan.settings.settings.report.interval_seconds, arguments.log_json)
    for warning in plan.settings.warnings:
        display.warn(warning)
    return display


def show(plan: CrawlPlan, display: Display) -> int:
    """Run a crawl in front of a display; returns its exit code."""
    keep_little_freed_memory()
    handler = _WarningsToDisplay(display)
    logging.getLogger().addHandler(handler)
    try:
        ending = uvloop.run(_crawled(plan, display), loop_factory=event_loop.CrawlLoop)
        display.ended(ending)
        return ending.reason.exit_code
    finally:
        display.close()
        logging.getLogger().removeHandler(handler)


async def _crawled(plan: CrawlPlan, display: Display) -> Ending:
    return await crawl(plan, display)


class _WarningsToDisplay(logging.Handler):
    """Sends warnings and errors that libraries log to the display, which they would otherwise write across."""

    def __init__(self, display: Display) -> None:
        super().__init__(logging.WARNING)
        self._display = display

    def emit(self, record: logging.LogRecord) -> None:
        self._display.warn(printable(self.format(record)))


def recorded_arguments(arguments: Sequence[str]) -> list[str]:
    """The arguments without the values of settings that may be secret, because stores are passed on."""
    recorded = []
    follows_set = False
    for argument in arguments:
        if follows_set:
            recorded.append(_without_secret(argument))
        elif argument.startswith("--set="):
            recorded.append(f"--set={_without_secret(argument.removeprefix('--set='))}")
        else:
            recorded.append(argument)
        follows_set = argument == "--set"
    return recorded


def _without_secret(override: str) -> str:
    name, equals, _ = override.partition("=")
    section, _, key = name.strip().partition(".")
    rule = SECTIONS[section].rules().get(key) if section in SECTIONS else None
    return f"{name}={HIDDEN}" if equals and rule is not None and rule.is_secret else override
