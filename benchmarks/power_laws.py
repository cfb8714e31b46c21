"""Fitted power laws, beside the truth and beside the package `powerlaw`.

    python -m benchmarks.power_laws exponents|stored [--graphs FOLDER] [--samples N]

exponents: N samples of 10⁵ numbers each of known power laws. stored: the in-degrees, the out-degrees and the sizes of
the strong components of all stored graphs; where each law begins, where it would begin if every start were tried, and,
where `powerlaw` has another start, why. Without `powerlaw`, which is no dependency, its columns stay empty.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import zeta

from benchmarks.graph_structure import stored, timed
from benchmarks.papers.paper import GRAPHS, table
from hinterland.lab.structure.components import components
from hinterland.lab.structure.power_law import PowerLaw, ValueCounts, drawn, fitted

LAWS: Final = ((2.1, 1), (2.72, 1), (2.5, 5))
COMPARED: Final = 100
"""The number of samples that `powerlaw` fits too; it takes fifty times as long."""
_EXPONENTS: Final = (1.0001, 20.0)
"""Those that `fitted` allows; by default `powerlaw` ends at 3."""


def exponents(samples: int) -> None:
    """Compare fitted exponents with the true ones, and with the package powerlaw if it is there."""
    other = _powerlaw()
    rows = []
    for exponent, x_min in LAWS:
        rng = np.random.default_rng(1)
        ours, theirs, within = list[float](), list[float](), 0
        seconds = other_seconds = 0.0
        for _ in range(samples):
            numbers = drawn(exponent, x_min, 100_000, rng)
            found, spent = timed(_ours, numbers)
            seconds += spent
            ours.append(found.exponent - exponent)
            within += found.interval[0] <= exponent <= found.interval[1]
            if other is not None and len(theirs) < COMPARED:
                fit, spent = timed(_theirs, other, numbers)
                theirs.append(fit.power_law.alpha - exponent)
                other_seconds += spent
        rows.append(_exponent_row("ours", exponent, x_min, ours, f"{100 * within / samples:.1f} %", seconds))
        if theirs:
            rows.append(_exponent_row("powerlaw", exponent, x_min, theirs, "", other_seconds))
    head = ["who", "α", "x_min", "samples", "largest error", "beyond 0.02", "mean error", "95 % cover", "s each"]
    print(table(head, rows))


def _powerlaw() -> Any:
    return importlib.import_module("powerlaw") if importlib.util.find_spec("powerlaw") else None


def _ours(numbers: NDArray[np.int64]) -> Any:
    return fitted(ValueCounts.of(numbers))


def _theirs(powerlaw: Any, numbers: NDArray[np.integer], **options: object) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return powerlaw.Fit(numbers, discrete=True, verbose=False, **options)


def _exponent_row(
    who: str, exponent: float, x_min: int, errors: list[float], covered: str, seconds: float
) -> list[str]:
    size = np.abs(errors)
    return [
        who, f"{exponent}", f"{x_min}", f"{len(errors)}", f"{size.max():.4f}", f"{(size > 0.02).sum()}",
        f"{np.mean(errors):+.4f}", covered, f"{seconds / len(errors):.3f}",
    ]  # fmt: skip


def quantities(folder: Path) -> Iterator[tuple[str, str, NDArray[np.integer]]]:
    """Yield the graph, the name and the numbers of each quantity that may follow a law."""
    for name, graph in stored(folder):
        yield name, "in-degree", graph.indegrees
        yield name, "out-degree", graph.outdegrees
        yield name, "strong components", components(graph, "strong").sizes


def stored_laws(folder: Path) -> None:
    """Compare the laws of all stored graphs with those of every start and of powerlaw, and print the table."""
    other, rows, same, told = _powerlaw(), list[list[str]](), 0, 0
    for graph, quantity, numbers in quantities(folder):
        sample = ValueCounts.of(numbers)
        law = fitted(sample)
        if law is None:
            continue
        every = _of_every_start(sample)
        is_nearest = every.distance >= law.distance * (1 - 1e-9)
        same += is_nearest
        row = [graph, quantity, *_told(law), f"{every.x_min}" if is_nearest else f"{every.x_min} IS NEARER"]
        if other is not None:
            fit = _theirs(other, numbers[numbers > 0], estimate_discrete=False, parameter_ranges={"alpha": _EXPONENTS})
            start = int(fit.xmin)
            difference = "" if start == law.x_min else _difference(sample, law, start)
            told += start == law.x_min
            row += [f"{start}", f"{fit.power_law.alpha:.4f}", f"{int(fit.n_tail):,}", difference]
        rows.append(row)
        print(*row, flush=True)
    theirs = ["powerlaw's start", "its α", "from there on", "why they differ"] if other is not None else []
    print(table(["graph", "law of", "begins at", "α", "values from there on", "of every start", *theirs], rows))
    print(f"{same} of {len(rows)} begin where trying every start has them begin.")
    if other is not None:
        print(f"{told} of {len(rows)} begin where powerlaw {other.__version__} has them begin.")


def _told(law: PowerLaw) -> tuple[str, str, str]:
    return f"{law.x_min}", f"{law.exponent:.4f} ± {law.error:.4f}", f"{law.tail:,}"


def _of_every_start(sample: ValueCounts) -> PowerLaw:
    """Return the nearest of the laws that begin at any value of the sample."""
    laws = (fitted(sample, int(start)) for start in sample.values)
    return min((law for law in laws if law is not None), key=lambda law: law.distance)


def _difference(sample: ValueCounts, law: PowerLaw, start: int) -> str:
    """Say why another start was preferred to ours."""
    theirs = fitted(sample, start)
    if theirs is None:
        return f"{sample.tail(start).size} values are too few here"
    ours, other = _distance(sample, law), _distance(sample, theirs)
    if other < ours:
        return f"IT IS NEARER: D {other:.4f}, ours {ours:.4f}"
    return f"D over all whole numbers is {ours:.4f}, at its start {other:.4f}"


def _distance(sample: ValueCounts, law: PowerLaw) -> float:
    """Return the Kolmogorov-Smirnov distance by its definition, over each whole number from x_min to the largest."""
    tail = sample.tail(law.x_min)
    numbers = np.arange(law.x_min, tail.values[-1] + 2)
    at_least = np.append(tail.survival, 0.0)[np.searchsorted(tail.values, numbers)]
    return float(np.abs(at_least - zeta(law.exponent, numbers) / zeta(law.exponent, law.x_min)).max())


def main() -> None:
    """Run one of the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("exponents", "stored"))
    parser.add_argument("--graphs", type=Path, default=GRAPHS)
    parser.add_argument("--samples", type=int, default=100)
    arguments = parser.parse_args()
    if arguments.what == "exponents":
        exponents(arguments.samples)
    else:
        stored_laws(arguments.graphs)


if __name__ == "__main__":
    main()
