"""`model`: graphs drawn from models of the web."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser, at_least_one

EXAMPLES = """\
examples:
  python3 run.py model copying --pages 1000000 --uniform 0.5 --out copying.npz
      each link leads to a uniform page or, as often, where a link of an earlier page leads
  python3 run.py model random-crawl --pages 1000000 --order dfs --out crawl.npz
      a depth-first crawl of 300,000 pages whose links are drawn as it goes, by laws of Zipf

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
    command.add_argument("name", metavar="NAME", help="which model; see below")
    command.add_argument("--pages", type=at_least_one, required=True, metavar="N", help="how many pages the web has")
    command.add_argument("--out", required=True, metavar="FILE", help="where to write the graph: an .npz")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of all draws (default: %(default)s)")
    own = command.add_argument_group("parameters of models")
    own.add_argument("--links", type=int, metavar="M", help="that come with a page")
    own.add_argument("--uniform", type=float, metavar="B", help="copying: probability of a link to a uniform page")
    own.add_argument("--preferential", type=float, metavar="G", help="pennock: probability of an end drawn by degree")
    own.add_argument("--attractiveness", type=float, metavar="A", help="preferential: of a page without links")
    own.add_argument("--order", metavar="ORDER", help="random-crawl: which page is next")
    own.add_argument("--crawled", type=float, metavar="SHARE", help="random-crawl: of all pages, at which it ends")
    own.add_argument("--seeds", type=int, metavar="N", help="random-crawl: pages it begins with")
    own.add_argument("--indegree-exponent", type=float, metavar="A", help="of the law of Zipf")
    own.add_argument("--outdegree-exponent", type=float, metavar="A", help="of the law of Zipf")
    own.add_argument("--least-indegree", type=int, metavar="D", help="from which on the law holds")
    own.add_argument("--least-outdegree", type=int, metavar="D", help="from which on the law holds")
    own.add_argument("--linkless", type=float, metavar="SHARE", help="random-crawl: of pages without any links")
