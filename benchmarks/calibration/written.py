"""The constants as a module of the product."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.calibration.fitting import Moments
from hinterland.analysis.estimates import error_formula
from hinterland.analysis.estimates.error_formula import OBSERVATIONS, ErrorConstants

FILE: Final = Path(error_formula.__file__).with_name("error_constants.py")

_LAYOUT: Final = '''\
"""The constants of the predicted error of an estimate, written by `python -m benchmarks.calibration fit --write`.

They were learnt from {crawls} simulated crawls of {domains} domains of {graphs} graphs, in {groups} groups of equal
weight. docs/estimates.md says how well they fit graphs that were left out.
"""

from __future__ import annotations

from typing import Final

from hinterland.analysis.estimates.error_formula import ErrorConstants

CONSTANTS: Final = ErrorConstants(
    intercept={intercept},
    weights=(
{weights}
    ),
    lowest={lowest},
    highest={highest},
    bound={bound},
    bound_if_unlike={bound_if_unlike},
    least={least},
    of_pages={of_pages},
    of_places={of_places},
    decay={decay},
)
'''


def module_of(constants: ErrorConstants, learnt_from: Moments) -> str:
    """Return the source of the module."""
    crawls = {id(one): one for one in learnt_from.crawls}.values()
    named = zip(constants.weights, OBSERVATIONS, strict=True)
    scalars = {name: _short(getattr(constants, name)) for name in ErrorConstants._fields if name not in _ROWS}
    return _LAYOUT.format(
        crawls=len(crawls),
        domains=len({one.domain for one in crawls}),
        graphs=len({one.graph for one in crawls}),
        groups=len(np.unique(learnt_from.groups)),
        weights="\n".join(f"        {_short(weight)},  # {name}" for weight, name in named),
        lowest=_row(constants.lowest),
        highest=_row(constants.highest),
        **scalars,
    )


_ROWS: Final = ("weights", "lowest", "highest")


def _short(value: float) -> str:
    return repr(float(f"{value:.3g}"))


def _row(values: Sequence[float]) -> str:
    return f"({', '.join(_short(value) for value in values)})"
