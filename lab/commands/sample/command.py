"""`sample`: draws the pages of a stored graph, and prints a sample."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import numpy as np

from hinterland.analysis.graph import IntArray
from hinterland.analysis.measured_graph import MeasuredGraph
from hinterland.analysis.stored_graph import UnusableGraph
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.lab.commands.sample.live import live_sample
from hinterland.lab.commands.sample.sampled import Sampled, SampledGraph
from hinterland.lab.commands.sample.telling import as_json, report_lines, sample_lines
from hinterland.lab.structure.components import components
from hinterland.lab.walks.graph_sampler import GraphSampler
from hinterland.lab.walks.sampling import METHODS, Plan, SamplingMethod
from hinterland.library.errors import HinterlandError, require_known
from hinterland.library.graph_opening import open_graph
from hinterland.library.text.wording import number

_BURN_IN = 100_000
_STEPS = 1_000_000
_ESTIMATE_STEPS = 10_000_000
"""On a graph in memory a step takes 40 ns."""
_STEPS_PER_PAGE = 100
_MOST_PAGES = 200_000
"""Largest --count from which the length of a walk is derived.

Its steps are kept in memory, at 100 bytes each: 2 GB for this many pages.
"""
_INTERVAL_SECONDS = 1.0


def run(arguments: Namespace) -> int:
    """Draw a sample from a graph or the live web, and print it."""
    method = _method(arguments)
    if arguments.live:
        live, exit_code = live_sample(arguments, method)
        if live is not None:
            _tell(live, arguments)
        return exit_code
    for option in ("scope", "max_pages"):
        if getattr(arguments, option) is not None:
            raise HinterlandError(f"--{option.replace('_', '-')} applies only to a walk over the live web; add --live")
    _tell(_of_graph(arguments, method), arguments)
    return OK


def _tell(sampled: Sampled, arguments: Namespace) -> None:
    output = Output(sys.stdout)
    if arguments.json:
        output.write(as_json(sampled))
        return
    notes = Output(sys.stderr)
    for line in report_lines(sampled):
        notes.write(line)
    for line in sample_lines(sampled, weighted=arguments.weighted):
        output.write(line)


def _method(arguments: Namespace) -> SamplingMethod:
    """Return the method with the given parameters. Raises HinterlandError for a parameter that does not fit it."""
    require_known("method", arguments.method, METHODS)
    method = METHODS[arguments.method]
    rule = method.rule
    if arguments.jump is not None:
        if not rule.jump:
            raise HinterlandError(f"--jump does not apply to the method {arguments.method}, which does not jump")
        if arguments.jump == 1 and method.stationary == "pagerank":
            raise HinterlandError("--jump is 1; PageRank needs a probability below 1")
        rule = replace(rule, jump=arguments.jump)
    if arguments.degree_bound is not None:
        if not rule.degree_bound:
            raise HinterlandError(f"--degree-bound does not apply to the method {arguments.method}, only to regular")
        rule = replace(rule, degree_bound=arguments.degree_bound)
    if arguments.estimate_steps is not None and method.stationary != "estimated":
        raise HinterlandError(
            f"--estimate-steps does not apply to the method {arguments.method}, which estimates nothing"
        )
    return replace(method, rule=rule)


def _of_graph(arguments: Namespace, method: SamplingMethod) -> SampledGraph:
    try:
        graph = open_graph(Path(arguments.graph))
    except UnusableGraph as error:
        raise HinterlandError(str(error)) from error
    pages, links = graph.crawled.crawled, graph.crawled.inner
    if not len(pages):
        raise HinterlandError(f"{arguments.graph} has no page whose links are known")
    if arguments.core:
        core = components(links, "strong").largest
        pages, links = pages[core], links.among(core)
    plan = _plan(arguments)
    sampler = GraphSampler.of(links, method)
    largest = int(sampler.walked.outdegrees.max()) + 1
    if arguments.degree_bound is not None and arguments.degree_bound < largest:
        raise HinterlandError(f"--degree-bound is {arguments.degree_bound}; a page has {largest} links and loops")
    start = _start(graph, pages, sampler, arguments.start)
    is_page = np.ones(len(pages), np.bool_) if graph.is_redirect is None else ~graph.is_redirect[pages]
    reach = sampler.reach(start)
    further = plan.estimate_steps if method.stationary == "estimated" else 0
    of = number(plan.burn_in + plan.steps + further)
    with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
        walked = sampler.sample(
            plan, start, arguments.seed, lambda taken: progress.update(f"steps: {number(taken)} of {of}")
        )
    sample = walked.only(is_page).of_at_most(arguments.count)
    names = None if graph.names is None else [graph.names[page] for page in pages.tolist()]
    return SampledGraph(
        method=arguments.method,
        plan=plan,
        seed=arguments.seed,
        sample=sample,
        degrees=links.indegrees + links.outdegrees,
        name=str if names is None else names.__getitem__,
        start=start,
        sampler=sampler,
        graph=links,
        reach=reach,
        population=reach[is_page[reach]],
        ages=_ages(graph, pages),
    )


def _plan(arguments: Namespace) -> Plan:
    count = arguments.count or 0
    if arguments.steps is None and count > _MOST_PAGES:
        raise HinterlandError(
            f"--count is {number(count)}, which would take a walk of {number(_STEPS_PER_PAGE * count)} steps, all kept"
            f" in memory; give at most {number(_MOST_PAGES)}, or set the length of the walk with --steps"
        )
    return Plan(
        _BURN_IN if arguments.burn_in is None else arguments.burn_in,
        arguments.steps or max(_STEPS, _STEPS_PER_PAGE * count),
        arguments.estimate_steps or _ESTIMATE_STEPS,
    )


def _start(graph: MeasuredGraph, pages: IntArray, sampler: GraphSampler, url: str | None) -> int:
    if url is None:
        return int(sampler.walked.outdegrees.argmax())
    if graph.names is None:
        raise HinterlandError("the pages of this graph have no URLs, so --start cannot be used")
    for place, page in enumerate(pages.tolist()):
        if graph.names[page] == url:
            return place
    raise HinterlandError(f"--start {url}: no page whose links are known has this URL")


def _ages(graph: MeasuredGraph, pages: IntArray) -> IntArray:
    """Return the ages of the pages whose links are known.

    They are positions in the order of visits or, if this order is unknown, page numbers.
    """
    ages = np.zeros(graph.crawled.page_count, np.int32)
    order = pages if graph.visit_order is None else graph.visit_order
    ages[order] = np.arange(len(order))
    return ages[pages]
