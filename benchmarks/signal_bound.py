"""What notices of changes could add to the freshness at most, if pages changed at random and all was known beforehand.

    python -m benchmarks.signal_bound peps.npz --ratios 0.5 1 3 --signals 0.8 0.8 --signals 0.5 0.2

A page changes at rate Δ, as often as the history says (see revisit_rivals); a share of its changes, the recall, is told
of at once, and of all notices a share, the precision, is true. Whoever knows all of this knows the chance e^-x that a
copy is current, and can do no better than visit each page when x reaches a threshold of its own: the visits are so many
for each change on the whole, and the thresholds those at which a visit is worth the same everywhere. That is the
relaxed problem of Whittle, whose solution no schedule with the same budget can exceed. In units of 1/Δ, x grows by
1 - recall in a unit of time and by ln(1/(1 - precision)) with each notice (Busa-Fekete et al., WWW 2025).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.revisit_rivals import history_of
from hinterland.analysis.graph import FloatArray
from hinterland.lab.experiments.revisit_simulation import zipf_importance

_ZIPF: Final = 0.8
_STEP: Final = 0.005
_LONGEST: Final = 30.0


def thresholds(recall: float, precision: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of a page that is visited whenever x has reached a threshold: thresholds, and for each the mean time from visit
    to visit and the mean time of it in which the copy is current, in units of 1/Δ."""
    steps = round(_LONGEST / _STEP)
    levels = np.asarray(np.arange(steps + 1) * _STEP, np.float64)
    if not recall:
        return levels, levels, np.asarray(-np.expm1(-levels), np.float64)
    drift, often, back = 1 - recall, recall / precision, -np.log1p(-precision) / _STEP
    decay, spent = np.exp(-often * _STEP / drift), [0.0]
    for step in range(steps):  # each path passes each level once: drift dU/dx = 1 - often (U(x) - U(x - jump))
        before = max(step + 0.5 - back, 0.0)
        place = int(before)
        jumped = spent[place] + (before - place) * (spent[min(place + 1, step)] - spent[place])
        spent.append(decay * spent[-1] + (1 - decay) * (1 / often + jumped))
    lengths = np.array(spent, np.float64)
    current = np.zeros(steps + 1)
    np.cumsum(np.exp(-(levels[1:] + levels[:-1]) / 2) * np.diff(lengths), out=current[1:])
    return levels, lengths, current


def bound(rates: FloatArray, importance: FloatArray, ratio: float, recall: float, precision: float) -> float:
    """The greatest freshness. rates: changes of each page in any unit of time; ratio: visits for each change."""
    levels, lengths, current = thresholds(recall, precision)
    worth = np.maximum.accumulate(current - lengths * np.exp(-levels))  # of a visit, in units of importance/Δ
    fresh, often = current[1:] / lengths[1:], 1 / lengths[1:]

    def at(price: float) -> tuple[FloatArray, FloatArray]:
        """Freshness and visits of each page."""
        wanted = price * rates / importance
        places = np.searchsorted(worth, wanted)
        is_visited = places < len(worth)
        places = np.clip(places, 1, len(worth) - 1) - 1
        return np.where(is_visited, fresh[places], 0.0), np.where(is_visited, often[places] * rates, 0.0)

    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at(np.exp(middle))[1].sum() > ratio * rates.sum() else (low, middle)
    return float(importance @ at(np.exp(high))[0] / importance.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histories", type=Path, nargs="+")
    parser.add_argument("--ratios", type=float, nargs="+", default=[1.0], help="visits for each change")
    parser.add_argument("--draws", type=int, default=6, help="of the importance")
    parser.add_argument("--signals", type=float, nargs=2, action="append", metavar=("RECALL", "PRECISION"))
    arguments = parser.parse_args()
    print("history | visits per change | recall | precision | freshness at most | more than without")
    for path in arguments.histories:
        history = history_of(path)
        draws = [zipf_importance(history.page_count, _ZIPF, seed) for seed in range(arguments.draws)]
        for ratio in arguments.ratios:
            none = np.mean([bound(history.rates, drawn, ratio, 0.0, 1.0) for drawn in draws])
            print(f"{path.stem} | {ratio:g} | 0 | | {none:.3f} |")
            for recall, precision in arguments.signals or [(0.8, 0.8), (0.5, 0.2)]:
                most = np.mean([bound(history.rates, drawn, ratio, recall, precision) for drawn in draws])
                told = f"{path.stem} | {ratio:g} | {recall:g} | {precision:g}"
                print(f"{told} | {most:.3f} | {100 * (most - none):+.1f}", flush=True)


if __name__ == "__main__":
    main()
