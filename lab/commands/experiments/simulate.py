"""`simulate`: tries policies and estimators on one local domain of a stored graph."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.cli.command_parser import CommandParser, positive
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.lab.commands.experiments import add_strategies
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import duration, number, sparkline, table

if TYPE_CHECKING:
    from hinterland.analysis.graph import FloatArray
    from hinterland.analysis.local_domain import LocalDomain
    from hinterland.lab.experiments.simulation import SimulatedWeb, SimulationResult

HELP = "try policies on one local domain of a stored graph"
GROUP = "Research"
NEEDS = ("research",)


EXAMPLES = """\
examples:
  python3 run.py simulate graphs/hollins --local www.hollins.edu
      how close each policy comes to the true PageRank of that host's n pages by crawling n outside pages
  python3 run.py simulate graphs/hollins --local www.hollins.edu --policies flow,random --budget 2 \\
      --iterations 50 --json kept.json --plot curves.svg
      two policies, twice the pages, in 50 rounds; figures and plots are written to files
  python3 run.py simulate hinterland.db --local https://docs.example.org/guide/
      on the fetched pages of a store
  python3 run.py simulate hinterland.db --virtual-clock
      with the frontier of the live crawl and its politeness delays

GRAPH is an .npz with the arrays src, dst and n, a folder with a graph.npz and urls.txt.gz, or a link store.
Plots need matplotlib: `python3 run.py setup plots`.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `simulate`."""
    command.add_argument("graph", metavar="GRAPH", help="an .npz, a folder with a graph.npz, or a link store")
    command.add_argument(
        "--local",
        metavar="NAME",
        help="the local domain: a host, a suffix of hosts, a URL prefix, a label or a block"
        " (default: the pages that are local in the store)",
    )
    add_strategies(command)
    command.add_argument(
        "--budget",
        type=positive,
        default=1.0,
        metavar="X",
        help="outside pages to crawl, as a multiple of the local ones (default: %(default)s)",
    )
    command.add_argument("--plot", metavar="FILE", help="draw the curves as .svg, .png or .pdf")
    command.add_argument(
        "--influence-plot",
        metavar="FILE",
        help="draw the score of SC-Select against the exact influence of frontier pages",
    )
    command.add_argument(
        "--virtual-clock",
        action="store_true",
        help="crawl local and outside pages together, with the frontier of the live crawl",
    )
    command.add_argument(
        "--latency",
        type=positive,
        default=0.3,
        metavar="SECONDS",
        help="median duration of a visit under the virtual clock (default: %(default)s)",
    )


_INFLUENCES = 1000
"""The most frontier pages in the plot of influences: each costs a PageRank computation."""


def run(arguments: Namespace) -> int:
    """Simulate the crawls, and print, plot and write what was measured."""
    from hinterland.analysis.local_domain import described
    from hinterland.lab.commands.experiments import plots
    from hinterland.lab.commands.experiments.sources import (
        JSON_BEGINS,
        check_result_file,
        chosen_estimators,
        chosen_policies,
        write_json,
    )
    from hinterland.lab.experiments.experiment import outside_pages
    from hinterland.lab.experiments.simulation import SimulatedWeb
    from hinterland.library.plugin_tables import enter_plugins

    enter_plugins(arguments.plugins)
    policies = chosen_policies(arguments.policies)
    estimators = chosen_estimators(arguments.estimators)
    for file in (arguments.plot, arguments.influence_plot):
        if file is not None:
            plots.check_plot_file(file)
    check_result_file(arguments.json, JSON_BEGINS)
    domain = _domain(arguments.graph, arguments.local)
    candidate = described(domain)
    if not candidate.frontier:
        raise HinterlandError(f"{domain.name} links to no known outside page, so there is nothing to choose from")
    output = Output(sys.stdout)
    web = SimulatedWeb.drawn(domain, arguments.seed)
    budget = outside_pages(arguments.budget, web.local_count)
    output.write(
        f"{domain.name}: {number(web.local_count)} local pages, {number(candidate.frontier)} outside pages linked"
        f" from them, {number(candidate.reachable)} within reach.\n"
        f"Their own links alone leave an L1 distance of {candidate.l1_alone:.4f} from the PageRank of all"
        f" {number(web.graph.page_count)} pages."
    )
    results: dict[str, SimulationResult] = {}
    for policy in policies:
        results[policy] = _simulated(arguments, web, policy, estimators, budget)
    for line in _report(results, estimators, arguments.virtual_clock is True):
        output.write(line)
    correlations = None
    if arguments.influence_plot is not None:
        correlations = _plot_influences(arguments.influence_plot, domain.name, web, arguments.seed)
        output.write(correlations.sentence(arguments.influence_plot))
    if arguments.plot is not None:
        _plot(arguments.plot, domain.name, results, estimators)
    if arguments.json is not None:
        write_json(
            arguments.json,
            {
                "parameters": _parameters(arguments, policies, estimators),
                "domain": {
                    "name": domain.name,
                    "pages": web.local_count,
                    "graph_pages": web.graph.page_count,
                    "graph_links": web.graph.link_count,
                    "frontier": candidate.frontier,
                    "reachable": candidate.reachable,
                    "l1_alone": candidate.l1_alone,
                },
                "crawls": {policy: asdict(result) for policy, result in results.items()},
                "influence": None if correlations is None else asdict(correlations),
            },
        )
    return OK


def _parameters(arguments: Namespace, policies: Sequence[str], estimators: Sequence[str]) -> dict[str, object]:
    return {
        "graph": arguments.graph,
        "local": arguments.local,
        "policies": policies,
        "estimators": estimators,
        "budget": arguments.budget,
        "iterations": arguments.iterations,
        "seed": arguments.seed,
        "virtual_clock": arguments.virtual_clock,
        "plugins": arguments.plugins,
        "latency_seconds": arguments.latency if arguments.virtual_clock else None,
    }


def _domain(graph: str, local: str | None) -> LocalDomain:
    from hinterland.analysis.local_domain import LocalDomain, hosts_of, pages_of, true_ranks
    from hinterland.analysis.stored_graph import UnusableGraph
    from hinterland.lab.commands.experiments.sources import graph_from

    stored = graph_from(Path(graph))
    try:
        is_local = pages_of(stored, local)
    except UnusableGraph as error:
        raise HinterlandError(str(error)) from error
    if not is_local.any():
        raise HinterlandError(f"no crawled page of {stored.name} is local; name a part that has some with --local")
    if is_local.all():
        raise HinterlandError(
            f"every crawled page of {stored.name} is local, so there are no outside pages to crawl; name a smaller part"
            " with --local"
        )
    name = f"{stored.name} {local}" if local is not None else stored.name
    return LocalDomain(name, stored.graph, is_local, hosts_of(stored), true_ranks(stored.graph))


def _simulated(
    arguments: Namespace, web: SimulatedWeb, policy: str, estimators: Sequence[str], budget: int
) -> SimulationResult:
    from hinterland.analysis.estimates.estimators import ESTIMATORS
    from hinterland.crawler.policies import make_policy
    from hinterland.crawler.settings import PolitenessSettings
    from hinterland.lab.experiments.simulation import find_global_pagerank
    from hinterland.lab.experiments.virtual_crawl import CONNECTIONS, LatencyModel, virtual_crawl

    made = make_policy(policy, arguments.seed)
    fresh = {name: ESTIMATORS[name]() for name in estimators}
    if not arguments.virtual_clock:
        return find_global_pagerank(web, made, fresh, budget=budget, iterations=arguments.iterations)
    return virtual_crawl(
        web,
        made,
        fresh,
        budget=budget,
        refresh_pages=max(1, budget // arguments.iterations),
        politeness=PolitenessSettings(),
        latency=LatencyModel(arguments.latency),
        connections=CONNECTIONS,
        seed=arguments.seed,
    ).result


# ---------------------------------------------------------------- the report


def _report(results: Mapping[str, SimulationResult], estimators: Sequence[str], is_timed: bool) -> list[str]:
    head = ["policy", "estimator", "outside", "L1", "L∞", "τ", *(["clock"] if is_timed else []), "L1 over the crawl"]
    rows = [head]
    for policy, result in results.items():
        for estimator in estimators:
            last = result.last.distances[estimator]
            curve = [each.distances[estimator].l1 for each in result.measurements]
            rows.append(
                [
                    policy,
                    estimator,
                    number(result.last.outside),
                    f"{last.l1:.4f}",
                    f"{last.linf:.4f}",
                    f"{last.tau:.4f}",
                    *([duration(result.last.seconds)] if is_timed else []),
                    sparkline(curve),
                ]
            )
    lines = ["", *table(rows, right=range(2, len(head) - 1))]
    exhausted = [policy for policy, result in results.items() if result.is_exhausted]
    if exhausted:
        wanted = next(iter(results.values())).budget
        lines += ["", f"Ended before {number(wanted)} pages, with no reachable page left: {', '.join(exhausted)}."]
    return lines


def _plot(file: str, title: str, results: Mapping[str, SimulationResult], estimators: Sequence[str]) -> None:
    from hinterland.lab.commands.experiments import plots

    panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for key, name in (("l1", "L1"), ("linf", "L∞"), ("tau", "Kendall's τ-b")):
        panels[name] = {
            policy if len(estimators) == 1 else f"{policy} / {estimator}": [
                (each.outside / result.local, getattr(each.distances[estimator], key)) for each in result.measurements
            ]
            for policy, result in results.items()
            for estimator in estimators
        }
    plots.draw_curves(file, title, panels, "outside pages crawled, as a multiple of the local ones")


# ---------------------------------------------------------------- Figure 1 of the paper


@dataclass(frozen=True, slots=True)
class Correlations:
    """Correlations between the score of SC-Select and the exact influence of frontier pages."""

    pages: int
    frontier: int
    pearson: float
    pearson_of_logarithms: float
    kendall_tau: float

    def sentence(self, file: str) -> str:
        """Return the correlations in a sentence that also names `file`, which holds their plot."""
        return (
            f"\nInfluence of {number(self.pages)} of the {number(self.frontier)} outside pages linked from the domain,"
            f" SC-Select's score against the exact one ({file}):\n"
            f"  Pearson {self.pearson:.3f}, of logarithms {self.pearson_of_logarithms:.3f},"
            f" Kendall's τ-b {self.kendall_tau:.3f}"
        )


def _plot_influences(file: str, title: str, web: SimulatedWeb, seed: int) -> Correlations:
    import numpy as np

    from hinterland.analysis.estimates.estimators import CrawledGraphEstimator
    from hinterland.analysis.estimates.rank_distances import kendall_tau
    from hinterland.analysis.sc_select import sc_select_scores
    from hinterland.crawler.policies import make_policy
    from hinterland.lab.commands.experiments import plots
    from hinterland.lab.experiments.simulation import SimulatedCrawl
    from hinterland.lab.influence import exact_influence

    crawl = SimulatedCrawl(web, make_policy("bfs", seed))
    crawl.crawl_local()
    crawled, frontier = crawl.snapshot(), crawl.frontier()
    pages = frontier
    if len(frontier) > _INFLUENCES:
        pages = np.sort(np.random.default_rng(seed).choice(frontier, _INFLUENCES, replace=False))
    ranks = CrawledGraphEstimator().ranks(crawled)
    scores = sc_select_scores(crawled, ranks, pages)
    exact = exact_influence(crawled, crawl.known_web(), pages)
    plots.draw_points(
        file, title, "score of SC-Select", "exact influence", list(zip(scores.tolist(), exact.tolist(), strict=True))
    )
    return Correlations(
        len(pages), len(frontier), _pearson(scores, exact), _pearson(_logs(scores), _logs(exact)),
        kendall_tau(scores, exact),
    )  # fmt: skip


def _logs(values: FloatArray) -> FloatArray:
    import numpy as np

    return np.log(np.maximum(values, 1e-15))


def _pearson(first: FloatArray, second: FloatArray) -> float:
    import numpy as np

    if len(first) < 2 or not first.std() or not second.std():
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])
