"""`evaluate`: repeats the paper's experiment on all suitable local domains of stored graphs."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinterland.cli.command_parser import CommandParser, at_least_one
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.lab.commands.experiments import add_strategies
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import counted

if TYPE_CHECKING:
    from hinterland.analysis.local_domain import DescribedDomain, DomainRule, LocalDomain
    from hinterland.lab.evaluation import Evaluation, Trial
    from hinterland.lab.experiments.experiment import Experiment

HELP = "compare policies and estimators on all local domains of stored graphs"
GROUP = "Research"
NEEDS = ("research",)


EXAMPLES = """\
examples:
  python3 run.py evaluate graphs --list
      the local domains in the graphs of that folder on which the experiment makes sense
  python3 run.py evaluate graphs --json all.json --markdown tables.md
      all policies and estimators on all of them, with 0.25 n, n and 2 n outside pages
  python3 run.py evaluate graphs/uci hinterland.db --policies sc-select,flow,random --budgets 1
      three policies, one budget, two graphs

A local domain is a host, a label, the ending of a site name or a block of a graph. It is used if there are outside
pages to choose from and an error to reduce; the --min- and --largest- options set the limits.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `evaluate`."""
    command.add_argument("graphs", nargs="+", metavar="GRAPH", help="as for simulate, or a folder of such graphs")
    add_strategies(command)
    command.add_argument(
        "--budgets",
        default="0.25,1,2",
        metavar="X,...",
        help="outside pages to crawl, as multiples of the local ones (default: %(default)s)",
    )
    command.add_argument(
        "--draws",
        type=at_least_one,
        default=1,
        metavar="N",
        help="take the mean of N repetitions, with seeds from --seed on (default: %(default)s)",
    )
    command.add_argument("--markdown", metavar="FILE", help="write the tables as Markdown, too")
    command.add_argument("--list", action="store_true", help="only list the local domains")
    command.add_argument(
        "--processes", type=at_least_one, default=1, metavar="N", help="work in N processes (default: 1)"
    )
    command.add_argument(
        "--solved-below",
        type=float,
        default=0.001,
        metavar="L1",
        help="leave out of the means the domains where the best published strategy ends below L1; 0: none"
        " (default: %(default)s)",
    )
    for name, default, type_, help_ in (
        ("min-pages", 90, at_least_one, "only domains of X pages or more"),
        ("min-frontier", 20, at_least_one, "only domains that link to X outside pages or more"),
        ("min-block-pages", 1000, at_least_one, "only blocks of X pages or more"),
        ("min-block-frontier", 100, at_least_one, "only blocks that link to X outside pages or more"),
        ("min-distance", 0.02, float, "only domains whose own PageRank has an L1 error of X or more"),
        ("min-reach", 2.0, float, "only domains that reach at least X times as many outside pages as they have pages"),
    ):
        command.add_argument(
            f"--{name}", type=type_, default=default, metavar="X", help=f"{help_} (default: {default})"
        )
    command.add_argument(
        "--except",
        dest="except_",
        action="append",
        default=[],
        metavar="FILE",
        help="leave out the domains of an earlier evaluation, written to FILE with --json; may be repeated",
    )
    for name, default, help_ in (
        ("largest-groups", 6, "consider the N largest labels and endings of names"),
        ("largest-blocks", 40, "consider the N largest blocks"),
    ):
        command.add_argument(
            f"--{name}", type=at_least_one, default=default, metavar="N", help=f"{help_} (default: {default})"
        )


PUBLISHED_POLICIES = frozenset(
    ("random", "bfs", "dfs", "indegree", "outlink-count", "pagerank", "flow", "sc-select", "opic")
)
PUBLISHED_ESTIMATOR = "crawled-graph"
"""The strategies of the literature, with which all other strategies are compared."""

_INTERVAL_SECONDS = 1.0


def run(arguments: Namespace) -> int:
    """Evaluate the strategies on all suitable local domains, and print and write the tables."""
    from hinterland.lab.commands.experiments.evaluation_text import (
        EXPLANATION,
        domain_rows,
        evaluation_lines,
        plain_table,
    )
    from hinterland.lab.commands.experiments.sources import (
        JSON_BEGINS,
        MARKDOWN_BEGINS,
        check_result_file,
        chosen_estimators,
        chosen_policies,
        earlier_domains,
        write_json,
    )
    from hinterland.lab.evaluation import Evaluation, Strategy, halves_of
    from hinterland.lab.experiments.experiment import Experiment
    from hinterland.library.plugin_tables import enter_plugins

    enter_plugins(arguments.plugins)
    policies = chosen_policies(arguments.policies)
    estimators = chosen_estimators(arguments.estimators)
    budgets = _budgets(arguments.budgets)
    check_result_file(arguments.json, JSON_BEGINS)
    check_result_file(arguments.markdown, MARKDOWN_BEGINS)
    left_out = frozenset[str]().union(*map(earlier_domains, arguments.except_))
    found = _suitable_domains(arguments.graphs, domain_rule(vars(arguments)), left_out)
    halves = halves_of(each.domain.name for each in found)
    output = Output(sys.stdout)
    listing = domain_rows(found, halves)
    if arguments.list:
        output.write("\n".join(plain_table(listing, 2)))
        return OK
    seeds = range(arguments.seed, arguments.seed + arguments.draws)
    experiments = [Experiment(policies, estimators, budget, arguments.iterations, seeds) for budget in budgets]
    done = _all_trials([each.domain for each in found], experiments, arguments.processes, arguments.plugins)
    published = [Strategy(policy, PUBLISHED_ESTIMATOR) for policy in policies if policy in PUBLISHED_POLICIES]
    evaluation = Evaluation(done, published, arguments.solved_below)
    tables = evaluation_lines(evaluation, plain_table, "")
    output.write("\n".join([*plain_table(listing, 2), "", *tables, "", EXPLANATION]))
    if arguments.markdown is not None:
        rounds, draws = counted(arguments.iterations, "iteration"), counted(arguments.draws, "draw")
        how = f"{rounds}, {draws} from seed {arguments.seed} on"
        _write_markdown(arguments.markdown, how, listing, evaluation)
    if arguments.json is not None:
        unkept = ("command", "command_line", "list")
        parameters = {key: value for key, value in vars(arguments).items() if key not in unkept}
        parameters |= {"policies": policies, "estimators": estimators, "budgets": budgets}
        write_json(arguments.json, _as_json(parameters, found, evaluation))
    return OK


def domain_rule(given: Mapping[str, Any]) -> DomainRule:
    """Return the rule for local domains that the options define.

    `given` holds the options of the command, or the parameters in a file written with --json.
    """
    from hinterland.analysis.local_domain import DomainRule

    return DomainRule(
        min_pages=given["min_pages"],
        min_frontier=given["min_frontier"],
        min_block_pages=given["min_block_pages"],
        min_block_frontier=given["min_block_frontier"],
        min_l1=given["min_distance"],
        min_reach=given["min_reach"],
        largest_groups=given["largest_groups"],
        largest_blocks=given["largest_blocks"],
    )


def _budgets(text: str) -> list[float]:
    try:
        budgets = sorted({float(part) for part in text.split(",") if part.strip()})
    except ValueError:
        raise HinterlandError(f"--budgets {text!r}: write numbers with commas between them, such as 0.25,1,2") from None
    if not budgets or not all(0 < budget < float("inf") for budget in budgets):
        raise HinterlandError(f"--budgets {text!r}: a budget is a multiple of the local pages, above 0: 0.25,1,2")
    return budgets


def _suitable_domains(graphs: Sequence[str], rule: DomainRule, left_out: frozenset[str]) -> list[DescribedDomain]:
    from hinterland.analysis.local_domain import suitable_domains
    from hinterland.lab.commands.experiments.sources import graph_from, graph_paths

    found: list[DescribedDomain] = []
    paths = list(dict.fromkeys(path for graph in graphs for path in graph_paths(Path(graph))))
    with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
        for path in paths:
            progress.step(f"looking for local domains in {path.name}")
            found += [each for each in suitable_domains(graph_from(path), rule) if each.domain.name not in left_out]
    names = [each.domain.name for each in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise HinterlandError(f"two local domains are called {twice[0]!r}; rename one of the files")
    if not found:
        raise HinterlandError(
            f"no local domain in {counted(len(paths), 'graph')} satisfies the limits; lower them (--min-pages,"
            " --min-frontier, --min-distance, --min-reach), or name a local domain yourself with `simulate`"
        )
    return found


def _all_trials(
    domains: Sequence[LocalDomain], experiments: Sequence[Experiment], processes: int, plugins: Sequence[str]
) -> list[Trial]:
    """Return the trials in the order of domains and experiments, even if processes finish in another order."""
    from hinterland.lab.evaluation import Trial

    tasks = [(domain, experiment) for domain in domains for experiment in experiments]
    results = dict[int, list[Trial]]()
    with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
        for place, result in _worked(tasks, min(processes, len(tasks)), plugins):
            results[place] = result
            progress.step(f"{len(results)} of {counted(len(tasks), 'experiment')} done: {tasks[place][0].name}")
    return [trial for place in range(len(tasks)) for trial in results[place]]


def _worked(
    tasks: Sequence[tuple[LocalDomain, Experiment]], processes: int, plugins: Sequence[str]
) -> Iterator[tuple[int, list[Trial]]]:
    from hinterland.lab.commands.experiments.worker_processes import WorkerKilled, worked
    from hinterland.lab.experiments.experiment import trials

    # The longest first, or the last process would be busy alone at the end.
    order = sorted(range(len(tasks)), key=lambda place: -tasks[place][0].page_count * tasks[place][1].budget)
    in_order = [tasks[place] for place in order]
    if processes <= 1:
        yield from ((place, trials(*tasks[place])) for place in order)
        return
    _, experiment = tasks[0]
    begin = partial(_begin, plugins, experiment.policies, experiment.estimators)
    try:
        yield from ((order[number], found) for number, found in worked(trials, in_order, processes, begin))
    except WorkerKilled:
        raise HinterlandError(
            f"one of {processes} processes was killed, perhaps because memory ran out;"
            " try fewer --processes, which need less memory at a time"
        ) from None


def _begin(plugins: Sequence[str], policies: Sequence[str], estimators: Sequence[str]) -> None:
    """Prepare a worker process: register the plug-ins that the parent process has loaded."""
    from hinterland.crawler.plugins.kinds import ESTIMATOR, POLICY
    from hinterland.library.plugin_tables import enter_plugins, require

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent process ends this one
    enter_plugins(plugins)
    for kind, names in ((POLICY, policies), (ESTIMATOR, estimators)):
        for name in names:
            require(kind, name)


def _write_markdown(name: str, how: str, listing: Sequence[Sequence[str]], evaluation: Evaluation) -> None:
    """Write the tables to a Markdown file. Raises HinterlandError."""
    from hinterland.crawler import __version__
    from hinterland.lab.commands.experiments.evaluation_text import EXPLANATION, evaluation_lines, markdown_table
    from hinterland.lab.commands.experiments.sources import writing

    lines = [
        "# Policies and estimators compared",
        "",
        f"Written by `run.py evaluate` of Hinterland {__version__}: {how}.",
        "",
        *EXPLANATION.splitlines(),
        "",
        "## Local domains",
        "",
        *markdown_table(listing, 2),
        "",
        *evaluation_lines(evaluation, markdown_table, "## "),
    ]
    with writing(name):
        Path(name).write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")


def _as_json(parameters: dict[str, Any], found: Sequence[DescribedDomain], evaluation: Evaluation) -> dict[str, Any]:
    return {
        "parameters": parameters,
        "domains": [
            {
                "name": each.domain.name,
                "pages": each.domain.page_count,
                "graph_pages": each.domain.graph.page_count,
                "frontier": each.frontier,
                "reachable": each.reachable,
                "l1_alone": each.l1_alone,
                "half": evaluation.halves[each.domain.name],
                "is_solved": each.domain.name in evaluation.solved,
            }
            for each in found
        ],
        "trials": [asdict(trial) | {"distance": asdict(trial.distance)} for trial in evaluation.trials],
        "summaries": [asdict(each) for budget in evaluation.budgets for each in evaluation.summaries(budget)],
    }
