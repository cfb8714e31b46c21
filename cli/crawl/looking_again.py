"""A crawl that goes on from its store, and looks at pages again."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from hinterland.cli.crawl.showing import display_of, recorded_arguments, show
from hinterland.cli.settings_sources import read_settings
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.plugin_tables import enter_plugins
from hinterland.library.rule_choice import wanted


def keep_fresh(arguments: Namespace) -> int:
    """Go on after a crawl with its arguments, and look at its pages until told to stop."""
    return look_again(arguments, arguments.max_pages, Revisiting(arguments.keep_fresh))


def look_again(arguments: Namespace, max_pages: int | None, revisiting: Revisiting) -> int:
    """Returns the exit code. arguments: of `crawl` or `recrawl`; max_pages: of all runs together."""
    enter_plugins(arguments.plugins)
    plan = CrawlPlan(
        read_settings(arguments),
        [],
        arguments.store,
        recorded_arguments(arguments.command_line),
        max_pages,
        resume=True,
        warc=arguments.warc,
        plugins=[str(Path(file).absolute()) for file in arguments.plugins],
        wanted=wanted(None, arguments.plugins, []),
        revisiting=revisiting,
    )
    return show(plan, display_of(plan, arguments))
