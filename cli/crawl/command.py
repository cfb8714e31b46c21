"""`crawl`: from the command line to a crawl and its exit code."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Final

from hinterland.cli.crawl.looking_again import keep_fresh
from hinterland.cli.crawl.showing import display_of, in_events, recorded_arguments, show
from hinterland.cli.given_seeds import given_seeds
from hinterland.cli.settings_sources import read_settings
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.topic_choice import chosen_topic
from hinterland.library.errors import HinterlandError
from hinterland.library.plugin_tables import enter_plugins
from hinterland.library.rule_choice import wanted

_ENDS_WELL: Final = frozenset(
    reason.exit_code
    for reason in EndReason
    if reason.label in ("exhausted", "max-pages", "hosts-given-up", "settled", "retries-left", "spaces-left")
)
"""Of a crawl that has done what it could; it was not told to stop, and nothing here is broken."""


def run(arguments: Namespace) -> int:
    """Returns the exit code. Raises HinterlandError and SettingsError for mistakes of the user; all else is a bug."""
    exit_code = in_events(_run, arguments)
    if arguments.keep_fresh is None or exit_code not in _ENDS_WELL:
        return exit_code
    return in_events(keep_fresh, arguments)


def _run(arguments: Namespace) -> int:
    plan = planned(arguments)
    return show(plan, display_of(plan, arguments))


def planned(arguments: Namespace) -> CrawlPlan:
    """What a command line asks for. Raises HinterlandError and SettingsError."""
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
        raise HinterlandError(
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
