"""How much is PageRank to count? Several weights against that of settings.toml, query by query.

    python -m benchmarks.rank_weights FULL --small SMALL --full-root ROOT --work FOLDER [--markdown FILE]

Queries, corpora and folders are those of `link_evidence.py`, whose indexes are used again: known items with the half of
who links held out, and front pages with all links. Each weight is held against the one that is shipped, in pairs, with
bootstrap intervals over pages or, of front pages, hosts.

Then a weight is chosen on one corpus and on the front pages of half of the hosts, and reported on what had no part in
that: the known items of the other corpora, and the front pages of the other half. The rule: of the weights by which the
known items of the corpus lose nothing that could be told from chance (against none, at 95 %) the one with the best mean
of the MRRs of all kinds of front pages.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.link_evidence import HALF, FloatArray, Weighting, materials, ranked, report, table
from benchmarks.link_queries import KNOWN, LinkQuery, half
from benchmarks.retrieval import difference
from benchmarks.retrieval_measures import compare
from hinterland.crawler.settings import SearchSettings
from hinterland.search.index.scoring import BOOSTS, RANK_EXPONENT, RANK_HALF
from hinterland.search.ranking import RankWeights

NONE: Final = "w = 0"
WEIGHTS: Final = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)


def measured(arguments: argparse.Namespace) -> list[str]:
    base, settings = BOOSTS, SearchSettings()
    weightings = {
        f"w = {weight:g}": Weighting(
            base["anchors_inside"],
            base["anchors_outside"],
            RankWeights(weight, RANK_HALF, RANK_EXPONENT),
        )
        for weight in sorted({*WEIGHTS, settings.rank_weight})
    }
    reference = f"w = {settings.rank_weight:g}"
    corpora, indexed, fronts = materials(arguments)
    lines: list[str] = []
    known: dict[str, tuple[Sequence[LinkQuery], Gains]] = {}
    for corpus in corpora:
        gains = ranked(corpus.indexes[HALF], corpus.queries, base, weightings)
        lines += ["", f"## {corpus.name}, {HALF}", "", *table(corpus.queries, gains, reference)]
        is_known = np.array([query.kind == KNOWN for query in corpus.queries])
        asked = [query for query in corpus.queries if query.kind == KNOWN]
        known[corpus.name] = asked, {each: values[is_known] for each, values in gains.items()}
    gains = ranked(indexed, fronts, base, weightings)
    lines += ["", "## Front pages, all links", "", *table(fronts, gains, reference)]
    return [*lines, *chosen_elsewhere(known, fronts, gains, arguments.seed)]


Gains = Mapping[str, FloatArray]
"""System -> the reciprocal rank of each query."""


def chosen_elsewhere(
    known: Mapping[str, tuple[Sequence[LinkQuery], Gains]], fronts: Sequence[LinkQuery], gains: Gains, seed: int
) -> list[str]:
    """What is gained over no PageRank by what had no part in the choice."""
    lines = ["", "## Chosen on one corpus and half of the hosts, reported on all others", ""]
    lines += ["| chosen on | w | reported on | queries | MRR without | difference |", "|---|--:|---|--:|--:|--:|"]
    for fold, (name, (asked, of_known)) in product((False, True), known.items()):
        is_learnt = np.array([half(seed, query.host) is not fold for query in fronts])
        learnt = {each: values[is_learnt] for each, values in gains.items()}
        weight = _chosen(asked, of_known, [fronts[place] for place in np.flatnonzero(is_learnt).tolist()], learnt)
        others = [(f"known items, {other}", *each) for other, each in known.items() if other != name]
        for kind in dict.fromkeys(query.kind for query in fronts):
            places = [place for place, query in enumerate(fronts) if query.kind == kind and not is_learnt[place]]
            of_kind = {each: values[places] for each, values in gains.items()}
            others.append((kind, [fronts[place] for place in places], of_kind))
        for what, queries, reached in others:
            change = compare(reached[weight], reached[NONE], _clusters(queries))
            without = reached[NONE].mean()
            chosen = f"{name}, half {'B' if fold else 'A'} of hosts | {weight}"
            lines.append(f"| {chosen} | {what} | {len(queries):,} | {without:.3f} | {difference(change)} |")
    return lines


def _chosen(asked: Sequence[LinkQuery], of_known: Gains, fronts: Sequence[LinkQuery], of_fronts: Gains) -> str:
    kinds = np.array([query.kind for query in fronts])

    def mean_of_kinds(weight: str) -> float:
        return float(np.mean([of_fronts[weight][kinds == kind].mean() for kind in np.unique(kinds)]))

    harmless = [
        weight
        for weight, values in of_known.items()
        if weight == NONE or compare(values, of_known[NONE], _clusters(asked)).difference.high >= 0
    ]
    return max(harmless, key=mean_of_kinds)


def _clusters(queries: Sequence[LinkQuery]) -> NDArray[np.int64]:
    """What is drawn again together: queries of one page or, for front pages, of one host."""
    names: dict[object, int] = {}
    return np.array([names.setdefault(q.page if q.kind == KNOWN else q.host, len(names)) for q in queries], np.int64)


if __name__ == "__main__":
    report(__doc__, measured)
