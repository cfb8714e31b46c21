"""Runs `crawl`: turns the command line into a crawl and returns its exit code."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Final

from hinterland.cli.crawl.feature_options import chosen_by_options
from hinterland.cli.crawl.showing import display_of, failures_in_events, recorded_arguments
from hinterland.cli.given_seeds import given_seeds
from hinterland.cli.settings_sources import read_settings
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.library.crawls import crawl_run
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.recrawling import recrawl_plan
from hinterland.library.crawls.requirements import require_installed
from hinterland.library.crawls.topic_choice import chosen_topic
from hinterland.library.errors import HinterlandError
from hinterland.library.plugin_tables import enter_plugins
from hinterland.library.rule_choice import chosen_extraction

_ENDS_WELL: Final = frozenset(
    reason.exit_code
    for reason in EndReason
    if reason.label in ("exhausted", "max-pages", "hosts-given-up", "settled", "retries-left", "spaces-left")
)
"""Exit codes of crawls that ended by themselves, without an error on this machine."""


def run(arguments: Namespace) -> int:
    """Crawl, and with --keep-fresh revisit pages afterwards; returns the exit code.

    Raises HinterlandError and SettingsError for mistakes of the user; any other exception is a bug.
    """
    with failures_in_events(log_json=arguments.log_json) as exit_code:
        exit_code.value = _shown(planned(arguments), arguments)
        if arguments.keep_fresh is not None and exit_code.value in _ENDS_WELL:
            exit_code.value = _shown(_kept_fresh(arguments), arguments)
    return exit_code.value


def _shown(plan: CrawlPlan, arguments: Namespace) -> int:
    """Crawl, and show the crawl on a display; returns the exit code."""
    with display_of(plan, log_json=arguments.log_json) as display:
        ending = crawl_run.run(plan, display)
        display.ended(ending)
    return ending.reason.exit_code


def _kept_fresh(arguments: Namespace) -> CrawlPlan:
    """Return the plan for revisiting pages after the crawl, until the user stops it."""
    return recrawl_plan(
        arguments.store,
        read_settings(arguments),
        recorded_arguments(arguments.command_line),
        Revisiting(arguments.keep_fresh),
        max_pages=arguments.max_pages,
        warc=arguments.warc,
        plugins=arguments.plugins,
    )


def planned(arguments: Namespace) -> CrawlPlan:
    """Return the plan of the crawl that a command line asks for. Raises HinterlandError and SettingsError."""
    enter_plugins(arguments.plugins)
    topic = chosen_topic(arguments.topic, arguments.targets, arguments.classifier)
    options = {
        "policy.name": arguments.policy or (None if topic is None else "focused"),
        "scope.kind": arguments.scope or (None if topic is None or topic.model is None else "web"),
        "scope.max_depth": arguments.max_depth,
        "rendering.pages": arguments.render,
        "audit.page_facts": arguments.audit,
        "sitemaps.use": "always" if arguments.audit else None,
        "hinterland.budget": arguments.hinterland,
        "hinterland.refresh_pages": arguments.refresh_pages,
        "hinterland.until_change": arguments.until_change,
        "hinterland.until_error": arguments.until_error,
        "hinterland.share": arguments.hinterland_share,
    } | chosen_by_options(arguments)
    settings = read_settings(arguments, options)
    require_installed(settings.settings)  # before seeds are read from stdin, which cannot be read twice
    seeds = given_seeds(arguments.seeds, arguments.seeds_file)
    if not seeds and not arguments.resume:
        raise HinterlandError(
            "there is no seed to start from; name a URL, a file of URLs with --seeds FILE, or resume an earlier crawl"
            " with --resume"
        )
    return CrawlPlan(
        settings=settings,
        seeds=seeds,
        store=arguments.store,
        command=recorded_arguments(arguments.command_line),
        max_pages=arguments.max_pages,
        resume=arguments.resume,
        warc=arguments.warc,
        retry=arguments.retry,
        topic=topic,
        plugins=[str(Path(file).absolute()) for file in arguments.plugins],
        extraction=chosen_extraction(arguments.extract, arguments.plugins, arguments.hooks),
        cluster=arguments.cluster,
    )
