"""`sample --live`: walks over the live web as politely as a crawl, and writes an ordinary store."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from hinterland.cli.crawl.lines import PlainLines
from hinterland.cli.crawl.showing import recorded_arguments, shown_on
from hinterland.cli.exit_codes import OK
from hinterland.cli.given_seeds import given_seeds
from hinterland.cli.output import Output
from hinterland.cli.settings_sources import read_settings
from hinterland.lab.commands.sample.sampled import SampledWeb
from hinterland.lab.live_walk.feature import LiveWalks
from hinterland.lab.live_walk.live_walk import LiveSample, WalkRequest
from hinterland.lab.walks.sampling import Plan, SamplingMethod
from hinterland.library.crawls.crawl_run import run
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.errors import HinterlandError
from hinterland.storage.reading.opening import reading

_COUNT = 100
_BURN_IN = 100
_STEPS_PER_PAGE = 30
_ESTIMATE_SHARE = 5
"""A step to a page that was fetched before costs nothing; any other step costs a visit of a second or more."""


def live_sample(arguments: Namespace, method: SamplingMethod) -> tuple[SampledWeb | None, int]:
    """Return the sample, if the walk was completed, and the exit code.

    Raises HinterlandError and SettingsError.
    """
    path = Path(arguments.graph)
    is_new = not path.exists()
    if is_new and arguments.start is None:
        raise HinterlandError(f"{path} does not exist yet; name the first page of the walk with --start URL")
    if arguments.core:
        raise HinterlandError("--core needs all links in advance, and a live walk does not have them")
    if method.rule.degree_bound and arguments.degree_bound is None:
        raise HinterlandError("a live walk does not know the largest degree; set an upper bound with --degree-bound D")
    delivered: list[LiveSample] = []
    plan = _plan(arguments)
    settings = read_settings(arguments, {"policy.name": "bfs", "scope.kind": arguments.scope})
    lines = Output(sys.stderr)
    for warning in settings.warnings:
        lines.write(f"warning: {warning}")
    crawl = CrawlPlan(
        settings,
        given_seeds([] if arguments.start is None else [arguments.start], None),
        str(path),
        recorded_arguments(arguments.command_line),
        arguments.max_pages,
        resume=not is_new,
        chooser=LiveWalks(WalkRequest(method, plan, arguments.seed, None, delivered.append)),
    )
    display = PlainLines(lines, lines, settings.settings.report.interval_seconds)
    with shown_on(display):
        ending = run(crawl, display)
        display.ended(ending)
    if not delivered:
        lines.write("The walk is not complete; repeat the command to continue it. Nothing is fetched twice.")
        return None, ending.reason.exit_code
    live = delivered[0]
    with reading(path) as store:
        urls = store.pages.urls_of(live.pages[live.sample.visited].tolist())
    sampled = SampledWeb(
        method=arguments.method,
        plan=plan,
        seed=arguments.seed,
        sample=live.sample.of_at_most(arguments.count),
        degrees=live.degrees,
        name=lambda page: urls[int(live.pages[page])],
        retried=live.retried,
        lost=live.lost,
    )
    return sampled, OK


def _plan(arguments: Namespace) -> Plan:
    steps = arguments.steps or _STEPS_PER_PAGE * (arguments.count or _COUNT)
    burn_in = _BURN_IN if arguments.burn_in is None else arguments.burn_in
    return Plan(burn_in, steps, arguments.estimate_steps or _ESTIMATE_SHARE * steps)
