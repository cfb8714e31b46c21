"""Rusmevichientong, Pennock, Lawrence & Giles, "Methods for Sampling Pages Uniformly from the World Wide Web", 2001."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.papers.paper import table
from hinterland.analysis.graph import FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import pagerank
from hinterland.lab.models.configuration import ConfigurationModel
from hinterland.lab.models.pennock import PennockModel
from hinterland.lab.structure.components import components
from hinterland.lab.structure.density import undirected
from hinterland.lab.walks.diagnostics import Bucket, ChiSquare, by_age, by_degree, chi_square, least_effective_size
from hinterland.lab.walks.graph_sampler import GraphSampler
from hinterland.lab.walks.graph_walk import GraphWalk
from hinterland.lab.walks.mixing import MOST_PAGES_FOR_BOUND, eigenvalues, mixing_bound
from hinterland.lab.walks.sampling import JUMP, METHODS, Plan
from hinterland.lab.walks.walk import WalkRule
from hinterland.library.graph_opening import open_graph

TITLE = "Sampling pages uniformly (Rusmevichientong et al. 2001)"
GRAPHS = ("wb-cs-stanford-2001", "wikispeedia-2007", "uci-ics-2020", "cnr-2000")

_PAGES: Final = 100_000
_SEEDS: Final = 5
_PLAN: Final = Plan(100_000, 1_000_000, 10_000_000)
_UNIFORM: Final = ("directed", "undirected", "regular", "modified-pagerank")
_WALKS: Final = 10
"""Draws of each kind, to find the cause of the bias."""
_WALKS_APART: Final = 1000
_STEPS_APART: Final = 300_000


_UNIFORMITY: Final = """\
Undirected-Sample passes everywhere. But on a graph with corners that are seldom entered and seldom left, its own walk
can hardly tell. On uci-ics-2020, a walk of a million steps forgets its start only some forty times (1 - λ is 4.5e-5).
So the walk is worth only one hundred to four hundred independent pages. If the worth of the walk is estimated from the
degrees of its pages, the estimate is too high: with this estimate, two of five walks failed on uci-ics-2020. The walks
apart do not have this problem, and their last pages are distributed as π says, too.

Directed-Sample fails where this number of steps is too small to estimate small values of π. In Modified
PageRank-Sample, jumps keep π from being small, so it passes nearly everywhere. Regular-Sample spends its steps in
loops, so it reaches too few pages."""


def section(sources: Sequence[Path]) -> Iterator[str]:
    """Yield the section as Markdown blocks."""
    whole = PennockModel(links=6, preferential=0.58).draw(_PAGES, 1).graph
    web = whole.among(components(whole, "strong").largest)
    either_way = undirected(web)
    yield (
        "The paper tests on a graph by the model of Pennock et al.: the direction of each link is drawn at"
        f" random, and the largest strong component is taken. Here the model has {_PAGES:,} pages with 6 links each"
        f" and γ = 0.58, which leaves {web.page_count:,} pages and {web.link_count:,} links. In our copy of the"
        " paper the numbers are missing, so the sizes of its graphs and the lengths of its walks are unknown. The"
        " paper says that Directed-Sample, Undirected-Sample and Regular-Sample have no bias, and that"
        " PageRank-Sample prefers pages with many links. In the tables, pages are sorted into buckets. *Ratio* is"
        " the share of a bucket in the sample divided by its share of the pages, so 1 means no bias. *p* is the"
        " p-value of a χ² test against the uniform distribution. The steps of a walk are not independent. So the"
        " test does not count the steps of a walk, but its effective number of independent pages, taken from the"
        " bucket where this number is smallest."
    )
    yield "**Figures 1 to 3: Directed-Sample, by inlinks, outlinks and age.**"
    yield from _figures(web, "directed", ("inlinks", "outlinks", "age"))
    yield (
        "There is hardly a bias, as in the paper, but χ² detects one: pages with one inlink are accepted too"
        " often. The cause is that a page is accepted with a probability in proportion to 1/π, where π is the"
        " share of the walk's steps at the page. Where π is estimated from few visits, 1/π is too large on"
        " average. What it costs to remove this bias is shown below, under *What Directed-Sample costs*."
    )
    yield (
        "**Figures 4 and 5: Undirected-Sample, by edges and age**, on the same graph without its directions. There is"
        " no bias, as in the paper."
    )
    yield from _figures(either_way, "undirected", ("edges", "age"))
    yield "**Figures 6 to 9: edges of pages sampled by three methods**, each with one step for each page."
    yield _compared(either_way)
    yield (
        "PageRank-Sample prefers pages with many edges, as in the paper, and Undirected-Sample does not. Nearly"
        " all steps of Regular-Sample are loops, as the paper also says. So its sample has few distinct pages, and"
        " says nothing about a bias, unless the walk is a thousand times as long."
    )
    yield (
        "**The cause of the bias of PageRank-Sample.** The paper conjectures that the cause is the jump, which"
        " leads only to pages visited so far. The table varies where jumps lead and by what pages are accepted."
        f" The last two columns are the ratios at pages with 1 to 3 edges and with 64 or more, from {_WALKS} walks"
        " each:"
    )
    yield _causes(either_way)
    yield (
        "The conjecture holds. Suppose jumps go to all pages, and pages are accepted by the PageRank that belongs"
        " to these jumps. Then no bias is left, however short the walk. If jumps go only to visited pages, the"
        " bias stays, even with the true PageRank. It shrinks only as all pages get visited. There is a second"
        " cause: the PageRank of the visited pages is not that of the web. Accepting pages by the visit ratio of"
        " the same walk is worst. It makes the sample uniform over the visited pages, which have more links than"
        " others."
    )
    yield (
        "**What Directed-Sample costs.** The table shows how far the sample is from uniform: the total variation"
        f" distance over the buckets of inlinks, as the mean of {_SEEDS} walks of 1,000,000 recorded steps. The"
        " first column is the number of steps spent on estimating π. The noise is the distance of unbiased samples"
        " of the same size."
    )
    yield _cost(web)
    yield (
        "The paper says that Directed-Sample may take a long time to converge. Here it takes more than a thousand"
        " steps for each page of the graph until its bias is near the noise of a sample of 7,000."
        " Undirected-Sample, which estimates nothing, is nearer to uniform with a million steps."
    )
    yield (
        "**χ² against uniform on graphs of up to 10⁵ pages.** The graphs are the largest strong components, with"
        f" {_SEEDS} walks each of 1,000,000 steps (10,000,000 to estimate π). Each walk is tested three times: by"
        " inlinks, by outlinks and by age. Its p is three times the smallest p of these tests, because there are"
        f" three. A cell has two numbers: the smallest p of the {_SEEDS} walks, and how many of the walks have a p"
        " below 0.05. λ is the second eigenvalue of the undirected walk. *Walks apart* are"
        f" {_WALKS_APART:,} undirected walks of {_STEPS_APART:,} steps, all from the same page. Only the last page"
        " of each is used. These pages are independent, whatever λ is. Their distribution is compared with π, by"
        " which pages are accepted. The last column has the p of this comparison."
    )
    yield _uniformity(web, sources)
    yield _UNIFORMITY
    yield (
        "**The bound of the paper**, beside the eigenvalue λ that it bounds. d is the largest degree, and b is"
        " the largest number of shortest paths that use one link in one direction:"
    )
    yield _bounds()
    yield (
        "The bound holds, but it is loose. It asks for hundreds to millions of times as many steps as the walk"
        " needs. The reason is that the bound depends on the square of the largest degree and on the busiest link,"
        " and the web has hubs with very large degrees."
    )


# ---------------------------------------------------------------- figures


def _buckets(web: Graph, kind: str, sample: IntArray) -> list[Bucket]:
    compared = by_age if kind == "age" else by_degree
    return compared(_values(web, kind), sample, np.arange(web.page_count, dtype=np.int32))


def _test(web: Graph, kind: str, sample: IntArray) -> ChiSquare:
    buckets = _buckets(web, kind, sample)
    return chi_square(buckets, least_effective_size(_values(web, kind)[sample], buckets))


def _values(web: Graph, kind: str) -> IntArray:
    match kind:
        case "inlinks":
            return web.indegrees
        case "age":
            return np.arange(web.page_count, dtype=np.int32)
        case _:
            return web.outdegrees  # of an undirected graph its edges


def _figures(web: Graph, method: str, kinds: Sequence[str]) -> Iterator[str]:
    sample = GraphSampler.of(web, METHODS[method]).sample(_PLAN, 0, 1)
    for kind in kinds:
        buckets, test = _buckets(web, kind, sample.pages), _test(web, kind, sample.pages)
        head = [kind, "pages", "sample", "ratio"]
        rows = [[_range(each), f"{each.true:.4f}", f"{each.sampled:.4f}", f"{each.ratio:.3f}"] for each in buckets]
        yield table(head, rows)
        yield (
            f"{len(sample.pages):,} visits accepted; χ² {test.statistic:.1f} with {test.freedom} degrees of "
            f"freedom, p {test.p_value:.2f}."
        )


def _range(bucket: Bucket) -> str:
    return f"{bucket.low:,}" if bucket.low == bucket.high else f"{bucket.low:,} to {bucket.high:,}"


def _compared(web: Graph) -> str:
    found = {}
    for name in ("pagerank", "regular", "undirected"):
        sampler = GraphSampler.of(web, METHODS[name])
        burn_in = 0 if name == "pagerank" else 10 * web.page_count
        samples = [sampler.sample(Plan(burn_in, web.page_count, 0), 0, seed) for seed in range(_SEEDS)]
        accepted = np.concatenate([each.pages for each in samples])
        distinct = np.mean([len(np.unique(each.pages)) for each in samples])
        found[name] = _buckets(web, "edges", accepted), np.mean([len(each.pages) for each in samples]), distinct
    buckets = found["pagerank"][0]
    rows = [
        [_range(each), f"{each.true:.4f}", *(f"{found[name][0][place].ratio:.3f}" for name in found)]
        for place, each in enumerate(buckets)
    ]
    rows.append(["visits accepted", "", *(f"{each[1]:,.0f}" for each in found.values())])
    rows.append(["distinct pages", "", *(f"{each[2]:,.0f}" for each in found.values())])
    return table(["edges", "pages", "PageRank-Sample", "Regular-Sample", "Undirected-Sample"], rows)


# ---------------------------------------------------------------- the cause of the bias


def _causes(web: Graph) -> str:
    true_rank = pagerank(web, damping=1 - JUMP)

    def of_visited(path: IntArray) -> FloatArray:
        visited = np.unique(path)
        ranks = np.ones(web.page_count)
        ranks[visited] = pagerank(web.among(visited), damping=1 - JUMP)
        return ranks

    weighing: dict[str, Callable[[IntArray], FloatArray]] = {
        "PageRank of what was visited": of_visited,
        "true PageRank": lambda _: true_rank,
        "visit ratio": lambda path: np.bincount(path, minlength=web.page_count).astype(np.float64),
    }
    rows = [
        _cause(web, share, to_all, name, weigh)
        for share in (0.1, 1, 10)
        for to_all in (False, True)
        for name, weigh in weighing.items()
    ]
    return table(["steps a page", "jumps among", "accepted by 1 over", "1 to 3 edges", "64 or more"], rows)


def _cause(web: Graph, share: float, to_all: bool, name: str, weigh: Callable[[IntArray], FloatArray]) -> list[str]:
    accepted = []
    for seed in range(_WALKS):
        path = GraphWalk(web, WalkRule(jump=JUMP, jumps_to_all=to_all), 0, seed).walk(round(share * web.page_count))
        weights = weigh(path)[path]
        chance = np.random.default_rng(seed).random(len(path))
        accepted.append(path[chance < weights.min() / weights])
    sample = np.concatenate(accepted)
    degrees = web.outdegrees
    ratios = [chosen[sample].mean() / chosen.mean() for chosen in (degrees <= 3, degrees >= 64)]
    return [f"{share:g}", "all" if to_all else "visited", name, *(f"{ratio:.3f}" for ratio in ratios)]


# ---------------------------------------------------------------- what directed sampling costs


def _cost(web: Graph) -> str:
    lengths = (10**5, 10**6, 10**7, 10**8)
    rows = [_distance_row(web, "directed", Plan(100_000, 1_000_000, steps), f"{steps:,}") for steps in lengths]
    rows.append(_distance_row(web, "undirected", Plan(100_000, 1_000_000, 0), "Undirected-Sample"))
    return table(["steps to estimate", "steps a page", "visits accepted", "distance", "noise"], rows)


def _distance_row(web: Graph, method: str, plan: Plan, name: str) -> list[str]:
    sampler, rng = GraphSampler.of(web, METHODS[method]), np.random.default_rng(1)
    distances, noise, accepted = [], [], []
    for seed in range(_SEEDS):
        sample = sampler.sample(plan, 0, seed).pages
        accepted.append(len(sample))
        distances.append(_distance(web, sample))
        noise.append(_distance(web, rng.integers(0, web.page_count, len(sample), np.int32)))
    per_page = f"{plan.estimate_steps / web.page_count:,.0f}"
    return [name, per_page, f"{np.mean(accepted):,.0f}", f"{np.mean(distances):.4f}", f"{np.mean(noise):.4f}"]


def _distance(web: Graph, sample: IntArray) -> float:
    return sum(abs(each.sampled - each.true) for each in _buckets(web, "inlinks", sample)) / 2


# ---------------------------------------------------------------- uniformity, and the bound


def _uniformity(web: Graph, sources: Sequence[Path]) -> str:
    drawn = ConfigurationModel().draw(20_000, 1).graph
    graphs = {"Pennock et al.": web, "configuration": drawn.among(components(drawn, "strong").largest)}
    for path in sources:
        graph = open_graph(path, with_names=False)
        inner = graph.crawled.inner
        graphs[graph.name] = inner.among(components(inner, "strong").largest)
    rows = []
    for name, drawn in graphs.items():
        measured = eigenvalues(undirected(drawn))
        about = "" if measured.is_settled else "≥ "
        p_values = [_p_values(drawn, method) for method in _UNIFORM]
        apart = f"{_p_of_walks_apart(drawn):.3f}"
        rows.append([name, f"{drawn.page_count:,}", f"{about}{measured.second:.5f}", *p_values, apart])
    return table(["graph", "pages", "λ", *_UNIFORM, "undirected, walks apart"], rows)


def _p_of_walks_apart(web: Graph) -> float:
    """Return the p value of the last pages of separate walks, against π in the same buckets.

    These pages are independent, so no effective size has to be estimated.
    """
    walked = undirected(web)
    stationary = (walked.outdegrees + 1.0) / (walked.outdegrees + 1.0).sum()
    rule = METHODS["undirected"].rule
    last = np.array([GraphWalk(walked, rule, 0, seed).walk(_STEPS_APART)[-1] for seed in range(_WALKS_APART)])
    p_values = []
    for kind in ("inlinks", "outlinks", "age"):
        values = _values(web, kind)
        within = [(each, (each.low <= values) & (values <= each.high)) for each in _buckets(web, kind, last)]
        buckets = [replace(each, true=float(stationary[is_in].sum())) for each, is_in in within]
        p_values.append(chi_square(buckets, _WALKS_APART).p_value)
    return min(1.0, 3 * min(p_values))


def _p_values(web: Graph, method: str) -> str:
    sampler = GraphSampler.of(web, METHODS[method])
    found = []
    for seed in range(_SEEDS):
        pages = sampler.sample(_PLAN, 0, seed).pages
        tests = [_test(web, kind, pages) for kind in ("inlinks", "outlinks", "age")]
        found.append(min(1.0, 3 * min(test.p_value for test in tests)))
    return f"{min(found):.3f}, {sum(each < 0.05 for each in found)}"


def _bounds() -> str:
    rows = []
    for pages, preferential in ((300, 0.0), (300, 0.58), (1000, 0.58), (3000, 0.58), (3000, 0.9)):
        drawn = undirected(PennockModel(6, preferential).draw(pages, 1).graph)
        graph = drawn.among(components(drawn, "weak").largest)
        assert graph.page_count <= MOST_PAGES_FOR_BOUND
        measured, bound = eigenvalues(graph), mixing_bound(graph)
        needed = measured.steps(0.01)
        asked = np.log(100) / -np.log1p(-(1 - bound.second))
        name = f"{graph.page_count:,}, γ = {preferential:g}"
        row = [name, f"{bound.degree:,}", f"{bound.diameter}", f"{bound.bottleneck:,}"]
        rows.append([*row, f"{1 - measured.second:.4f}", f"{1 - bound.second:.2g}", f"{needed:,.0f}", f"{asked:.2g}"])
    head = ["pages", "d", "diameter", "b", "1 - λ measured", "1 - λ by the bound", "steps to 1 %", "by the bound"]
    return table(head, rows)
