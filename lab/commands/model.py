"""`model`: draws graphs from models of the web."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinterland.cli.command_parser import CommandParser, at_least_one
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.library.errors import HinterlandError, require_known
from hinterland.library.text.wording import duration, number

if TYPE_CHECKING:
    from hinterland.lab.models.model import DrawnGraph, GraphModel

HELP = "draw a graph from a model of the web"
GROUP = "Research"
NEEDS = ("research",)
WHEN_STOPPED = "no file was written"


EXAMPLES = """\
examples:
  python3 run.py model copying --pages 1000000 --uniform 0.5 --out copying.npz
      half of the links go to uniformly drawn pages, the others copy a link of an earlier page
  python3 run.py model random-crawl --pages 1000000 --order dfs --out crawl.npz
      a depth-first crawl of 300,000 pages whose links are drawn on the way, with Zipf degree laws

models, and their parameters:
  copying        --links D --uniform B              Kumar et al. 2000
  random-crawl   --order bfs|dfs|deg|rnd --crawled SHARE --seeds N and those of configuration
                                                    Bennouas & de Montgolfier 2007
  configuration  --indegree-exponent A --outdegree-exponent A --least-indegree D --least-outdegree D --linkless SHARE
                                                    the graph that is crawled there, as a whole
  pennock        --links M --preferential G         Pennock et al. 2002
  preferential   --links M --attractiveness A       Price 1976; Barabasi & Albert 1999
  uniform        --links M                          Erdos & Renyi 1959

The file has the arrays src, dst and n, which every command understands that takes a stored graph; of a crawl also
n_crawled and visit_order. The same parameters and seed give the same graph.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `model`."""
    command.add_argument("name", metavar="NAME", help="which model; see below")
    command.add_argument("--pages", type=at_least_one, required=True, metavar="N", help="how many pages the web has")
    command.add_argument("--out", required=True, metavar="FILE", help="where to write the graph: an .npz")
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of all random draws (default: %(default)s)"
    )
    own = command.add_argument_group("parameters of models")
    own.add_argument("--links", type=int, metavar="M", help="links per new page")
    own.add_argument("--uniform", type=float, metavar="B", help="copying: probability of a link to a uniform page")
    own.add_argument(
        "--preferential", type=float, metavar="G", help="pennock: probability that an end is drawn by degree"
    )
    own.add_argument("--attractiveness", type=float, metavar="A", help="preferential: weight of a page without links")
    own.add_argument("--order", metavar="ORDER", help="random-crawl: the order of visits: bfs, dfs, deg or rnd")
    own.add_argument("--crawled", type=float, metavar="SHARE", help="random-crawl: share of all pages at which it ends")
    own.add_argument("--seeds", type=int, metavar="N", help="random-crawl: pages it begins with")
    own.add_argument("--indegree-exponent", type=float, metavar="A", help="exponent of the in-degree law")
    own.add_argument("--outdegree-exponent", type=float, metavar="A", help="exponent of the out-degree law")
    own.add_argument("--least-indegree", type=int, metavar="D", help="smallest in-degree")
    own.add_argument("--least-outdegree", type=int, metavar="D", help="smallest out-degree")
    own.add_argument("--linkless", type=float, metavar="SHARE", help="random-crawl: share of pages without links")


_NPZ_BEGINS = b"PK\3\4"


def known_words() -> Mapping[str, Sequence[str]]:
    """Return the possible values of each option, for shell completion."""
    from hinterland.lab.models import MODELS
    from hinterland.lab.models.random_crawl import ORDERS

    return {"name": list(MODELS), "order": ORDERS}


def run(arguments: Namespace) -> int:
    """Draw the graph and write it to a file."""
    from hinterland.analysis.stored_graph import save_graph
    from hinterland.lab.commands.experiments.sources import check_result_file, writing
    from hinterland.lab.models.model import UnusableModel
    from hinterland.storage.exports.destinations import new_file

    model = _model(arguments)
    check_result_file(arguments.out, _NPZ_BEGINS)
    started = time.monotonic()
    try:
        drawn = model.draw(arguments.pages, arguments.seed)
    except UnusableModel as error:
        raise HinterlandError(str(error)) from error
    except MemoryError:
        raise HinterlandError(f"there is not enough memory for {number(arguments.pages)} pages") from None
    made_by = _words(arguments.name, model, arguments.pages, arguments.seed)
    with writing(arguments.out), new_file(Path(arguments.out), force=True) as file:
        save_graph(file, drawn.graph, crawled=drawn.crawled, made_by=made_by)
    output = Output(sys.stdout)
    output.write(f"{made_by}\n{_counts(drawn)} in {arguments.out} ({duration(time.monotonic() - started)})")
    if drawn.ended_early:
        output.write("The crawl ended early: every page it had found was crawled.")
    return OK


def _model(arguments: Namespace) -> GraphModel:
    from hinterland.lab.models import MODELS
    from hinterland.lab.models.model import UnusableModel

    require_known("model", arguments.name, MODELS)
    model = MODELS[arguments.name]
    known = [field.name for field in fields(model)]
    given = _given(arguments)
    for name in given:
        if name not in known:
            options = ", ".join(map(_option, known))
            raise HinterlandError(
                f"{_option(name)} does not apply to the model {arguments.name}; its parameters are {options}"
            )
    try:
        return model(**given)
    except UnusableModel as error:
        raise HinterlandError(str(error)) from error


def _given(arguments: Namespace) -> dict[str, Any]:
    """Return the options that the user gave and that are parameters of models."""
    from hinterland.lab.models import MODELS

    names = {field.name for model in MODELS.values() for field in fields(model)}
    return {name: value for name, value in vars(arguments).items() if name in names and value is not None}


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _words(name: str, model: GraphModel, pages: int, seed: int) -> str:
    """Return the command-line arguments with which the same graph is drawn again."""
    parameters = asdict(model)
    return " ".join([name, *(f"{_option(key)} {value}" for key, value in parameters.items())]) + (
        f" --pages {pages} --seed {seed}"
    )


def _counts(drawn: DrawnGraph) -> str:
    pages, links = number(drawn.graph.page_count), number(drawn.graph.link_count)
    crawled = "" if drawn.crawled is None else f"{number(drawn.crawled)} pages crawled of "
    return f"{crawled}{pages} pages{' known' if crawled else ''}, {links} links"
