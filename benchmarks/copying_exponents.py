"""Whether in-degrees of the copying model have the exponent (2 - β)/(1 - β), as its theory says.

    python -m benchmarks.copying_exponents [--pages N] [--graphs K]

For each β some graphs of a million pages. In-degrees follow the law of Waring (the limit of the recursion), P(k) in
proportion to Γ(k + b) / Γ(k + b + α): a power law with the exponent α far out, where k is large beside b + (α - 1)/2.
Both α and b are estimated from all pages by maximum likelihood, which knows nothing of β. Beside it the pure power law
of the tail, with x_min by the distance of Kolmogorov and Smirnov, which begins before the law is pure.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln

from hinterland.analysis.graph import FloatArray, IntArray, occurrences
from hinterland.lab.models.copying import CopyingModel
from hinterland.lab.structure.power_law import Sample, fitted

SHARES = (0.1, 0.3, 0.5, 0.7)
_HEAD = (
    ("β", "theory", "α by Waring's law", "spread", "error told", "within 2 errors"),
    ("pure power law", "its error", "x_min", "CPU s a graph"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--graphs", type=int, default=20)
    arguments = parser.parse_args()
    head = [*_HEAD[0], *_HEAD[1]]
    print(f"| {' | '.join(head)} |\n|{' ---: |' * len(head)}")
    CopyingModel().draw(100, 0)  # compiles
    for share in SHARES:
        print(row(CopyingModel(1, share), arguments.pages, arguments.graphs), flush=True)


def row(model: CopyingModel, pages: int, graphs: int) -> str:
    tails, laws, seconds = [], [], 0.0
    for seed in range(graphs):
        started = time.process_time()
        drawn = model.draw(pages, seed)
        seconds += time.process_time() - started
        indegrees = occurrences(drawn.targets, pages)
        laws.append(waring(indegrees))
        tail = fitted(Sample.of(indegrees))
        assert tail is not None
        tails.append(tail)
    exponents, errors = np.array(laws).T
    theory = model.indegree_exponent
    starts = [tail.x_min for tail in tails]
    cells = [
        f"{model.uniform}",
        f"{theory:.4f}",
        f"{exponents.mean():.4f}",
        f"{exponents.std(ddof=1):.4f}",
        f"{errors.mean():.4f}",
        f"{np.sum(np.abs(exponents - theory) < 2 * errors)} of {graphs}",
        f"{np.mean([tail.exponent for tail in tails]):.3f}",
        f"{np.mean([tail.error for tail in tails]):.3f}",
        f"{min(starts)} to {max(starts)}",
        f"{seconds / graphs:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def waring(indegrees: IntArray) -> tuple[float, float]:
    """α by maximum likelihood, with b free, and its error by the observed information."""
    values, counts = np.unique(indegrees, return_counts=True)

    def surprise(parameters: FloatArray) -> float:
        above_one, b = np.exp(parameters)
        alpha = 1 + above_one
        constant = np.log(above_one) + gammaln(b + alpha - 1) - gammaln(b)
        return -float(counts @ (constant + gammaln(values + b) - gammaln(values + b + alpha)))

    best = minimize(surprise, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-5}).x
    step = 1e-3
    hessian = np.empty((2, 2))
    for i in range(2):
        for j in range(2):
            a, c = step * np.eye(2)[i], step * np.eye(2)[j]
            corners = surprise(best + a + c) - surprise(best + a - c) - surprise(best - a + c) + surprise(best - a - c)
            hessian[i, j] = corners / (4 * step**2)
    above_one = float(np.exp(best[0]))
    return 1 + above_one, above_one * float(np.sqrt(np.linalg.inv(hessian)[0, 0]))


if __name__ == "__main__":
    main()
