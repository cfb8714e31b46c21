"""`crawl`: from the command line to a crawl and its exit code."""

from __future__ import annotations

import logging
import sys
import traceback
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import uvloop

from crawler.apps.cli.crawl.crawl_run import CrawlPlan, crawl
from crawler.apps.cli.crawl.display import Display, choose_display
from crawler.apps.cli.crawl.lines import JsonLines
from crawler.apps.cli.crawl.summary import Ending
from crawler.apps.cli.crawl.topic_choice import chosen_topic
from crawler.apps.cli.exit_codes import BUG, USAGE, CommandError
from crawler.apps.cli.output import Output
from crawler.apps.cli.plugin_tables import enter_plugins
from crawler.apps.cli.rule_choice import wanted
from crawler.apps.cli.seeds import given_seeds
from crawler.apps.cli.settings_sources import read_settings
from crawler.apps.text.wording import printable
from crawler.decisions.endings import EndReason
from crawler.fetching.client import event_loop
from crawler.parsing.compiled.freed_memory import keep_little_freed_memory
from crawler.settings import SECTIONS, SettingsError
from crawler.settings.rules import HIDDEN

_ENDS_WELL: Final = frozenset(
    reason.exit_code
    for reason in EndReason
    if reason.label in ("exhausted", "max-pages", "hosts-given-up", "settled", "retries-left", "spaces-left")
)
"""Of a crawl that has done what it could; it was not told to stop, and nothing here is broken."""


def run(arguments: Namespace) -> int:
    """Returns the exit code. Raises CommandError and SettingsError for mistakes of the user; all else is a bug."""
    exit_code = in_events(_run, arguments)
    if arguments.keep_fresh is None or exit_code not in _ENDS_WELL:
        return exit_code
    from crawler.apps.cli.crawl.looking_again import keep_fresh  # which builds on this module

    return in_events(keep_fresh, arguments)


def in_events(command: Callable[[Namespace], int], arguments: Namespace) -> int:
    """Run a command; with --log-json, what keeps it from beginning is an event, too."""
    if not arguments.log_json:
        return command(arguments)
    failures = JsonLines(Output(sys.stdout), 0.0)
    try:
        return command(arguments)
    except (CommandError, SettingsError) as error:
        exit_code = error.exit_code if isinstance(error, CommandError) else USAGE
        failures.failed(str(error), exit_code)
        return exit_code
    except Exception as error:
        failures.failed(f"a bug in Hinterland: {error!r}", BUG, traceback.format_exc())
        return BUG


def _run(arguments: Namespace) -> int:
    plan = planned(arguments)
    return show(plan, display_of(plan, arguments))


def planned(arguments: Namespace) -> CrawlPlan:
    """What a command line asks for. Raises CommandError and SettingsError."""
    enter_plugins(arguments.plugins)
    topic = chosen_topic(arguments.topic, arguments.targets, arguments.classifier)
    options = {
        "policy.name": arguments.policy or (None if topic is None else "focused"),
        "scope.kind": arguments.scope or (None if topic is None or topic.model is None else "web"),
        "scope.max_depth": arguments.max_depth,
        "rendering.pages": arguments.render,
        "hinterland.budget": arguments.hinterland,
        "hinterland.refresh_pages": arguments.refresh_pages,
        "hinterland.until_change": arguments.until_change,
        "hinterland.until_error": arguments.until_error,
        "hinterland.share": arguments.hinterland_share,
    }
    settings = read_settings(arguments, options)
    seeds = given_seeds(arguments.seeds, arguments.seeds_file)
    if not seeds and not arguments.resume:
        raise CommandError(
            "there is no seed to begin with; name a URL, a file of them with --seeds FILE, or go on with an"
            " earlier crawl with --resume"
        )
    return CrawlPlan(
        settings,
        seeds,
        arguments.store,
        recorded_arguments(arguments.command_line),
        arguments.max_pages,
        arguments.resume,
        arguments.warc,
        arguments.retry,
        topic=topic,
        plugins=[str(Path(file).absolute()) for file in arguments.plugins],
        wanted=wanted(arguments.extract, arguments.plugins, arguments.hooks),
        cluster=arguments.cluster,
    )


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
    if plan.cluster is None:
        return await crawl(plan, display)
    from crawler.apps.cli.crawl.cluster_choice import cluster_of  # most crawls do without
    from crawler.apps.cli.crawl.cluster_run import ClusterRun

    return await ClusterRun(plan, display, cluster_of(plan.cluster)).run()


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
