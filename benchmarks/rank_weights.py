"""How much is PageRank to count? Several weights against that of settings.toml, query by query.

    python -m benchmarks.rank_weights FULL --small SMALL --full-root ROOT --work FOLDER [--markdown FILE]

Queries, corpora and folders are those of `link_evidence.py`, whose indexes are used again: known items with the half of
who links held out, and front pages with all links. Nothing is chosen here: each weight is held against the one that is
shipped, in pairs, with bootstrap intervals over pages or, of front pages, hosts.
"""

from __future__ import annotations

import argparse
from typing import Final

from benchmarks.link_evidence import HALF, Weighting, materials, ranked, report, table
from benchmarks.retrieval import settings_boosts
from crawler.apps.search.ranking import RankWeights
from crawler.settings import SearchSettings

WEIGHTS: Final = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)


def measured(arguments: argparse.Namespace) -> list[str]:
    base, settings = settings_boosts(), SearchSettings()
    weightings = {
        f"w = {weight:g}": Weighting(
            base["anchors_inside"],
            base["anchors_outside"],
            RankWeights(weight, settings.rank_half, settings.rank_exponent),
        )
        for weight in sorted({*WEIGHTS, settings.rank_weight})
    }
    reference = f"w = {settings.rank_weight:g}"
    corpora, indexed, fronts = materials(arguments)
    lines = []
    for corpus in corpora:
        gains = ranked(corpus.indexes[HALF], corpus.queries, base, weightings)
        lines += ["", f"## {corpus.name}, {HALF}", "", *table(corpus.queries, gains, reference)]
    gains = ranked(indexed, fronts, base, weightings)
    return [*lines, "", "## Front pages, all links", "", *table(fronts, gains, reference)]


if __name__ == "__main__":
    report(__doc__, measured)
