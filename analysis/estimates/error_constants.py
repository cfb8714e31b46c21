"""The constants of the predicted error of an estimate, written by `python -m benchmarks.calibration fit --write`.

They were learnt from 462 simulated crawls of 154 domains of 22 graphs, in 9 groups of equal
weight. docs/estimates.md says how well they fit graphs that were left out.
"""

from __future__ import annotations

from typing import Final

from hinterland.analysis.estimates.error_formula import ErrorConstants

CONSTANTS: Final = ErrorConstants(
    intercept=-1.72,
    weights=(
        0.773,  # how far the estimate moved, for the number of pages outside
        1.23,  # the share of the site's PageRank that its own links give
        1.77,  # the share of the site's links that lead out
    ),
    lowest=(-3.91, 0.0, 0.0134),
    highest=(-0.763, 0.824, 1.0),
    bound=1.22,
    bound_if_unlike=1.85,
    least=0.2,
    of_pages=0.945,
    of_places=0.557,
    decay=0.115,
)
