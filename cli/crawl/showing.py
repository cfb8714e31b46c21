"""Runs a crawl and shows it on a display.

Warnings go to the display. With --log-json, errors that keep a crawl from beginning become events. Secrets are removed
from the command line before it is recorded.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from hinterland.cli.crawl.display import Display, choose_display
from hinterland.cli.crawl.lines import JsonLines
from hinterland.cli.exit_codes import BUG, OK, USAGE
from hinterland.cli.output import Output
from hinterland.crawler.fetching.access.hidden_values import HIDDEN_VALUES
from hinterland.crawler.parsing.compiled.freed_memory import limit_freed_memory
from hinterland.crawler.settings import SECTIONS, SettingsError
from hinterland.crawler.settings.rules import HIDDEN
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import printable


@dataclass(slots=True)
class ExitCode:
    """The exit code of a command, which may be set later. Mutable."""

    value: int = OK


@contextmanager
def failures_in_events(*, log_json: bool) -> Iterator[ExitCode]:
    """With --log-json, turn an error that ends the with block into an event and an exit code."""
    exit_code = ExitCode()
    if not log_json:
        yield exit_code
        return
    failures = JsonLines(Output(sys.stdout), 0.0)
    try:
        yield exit_code
    except (HinterlandError, SettingsError) as error:
        exit_code.value = error.exit_code if isinstance(error, HinterlandError) else USAGE
        failures.failed(str(error), exit_code.value)
    except Exception as error:
        exit_code.value = BUG
        hide = HIDDEN_VALUES.hide
        failures.failed(hide(f"a bug in Hinterland: {error!r}"), BUG, hide(traceback.format_exc()))


@contextmanager
def display_of(plan: CrawlPlan, *, log_json: bool) -> Iterator[Display]:
    """Yield a display for the crawl of a plan. First, it shows warnings about the plan's settings."""
    display = choose_display(plan.store, plan.settings.settings.report.interval_seconds, log_json)
    for warning in plan.settings.warnings:
        display.warn(warning)
    with shown_on(display):
        yield display


@contextmanager
def shown_on(display: Display) -> Iterator[None]:
    """Prepare this process for the crawl inside the with block, and show warnings that libraries log meanwhile."""
    limit_freed_memory()
    handler = _WarningsToDisplay(display)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        display.close()
        logging.getLogger().removeHandler(handler)


class _WarningsToDisplay(logging.Handler):
    """Shows warnings and errors that libraries log on the display, instead of letting them be written across it."""

    def __init__(self, display: Display) -> None:
        """Handle log records from level WARNING."""
        super().__init__(logging.WARNING)
        self._display = display

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record as a warning."""
        self._display.warn(printable(self.format(record)))


def recorded_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the arguments without values of settings that may be secret, because users may give stores to others."""
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
    is_secret = rule is not None and (rule.is_secret or rule.row is not None)
    return f"{name}={HIDDEN}" if equals and is_secret else override
