"""The policies `harmonic` and `binary`, which first revisit the page whose wait costs most.

A page with the change rate Δ and the importance μ costs μ h(x) per second, where x = Δτ is the number of changes
expected since the last visit, τ seconds ago. For a given number of visits per second the total cost is lowest if each
page is visited as soon as the index

  V(τ) = μ (τ h(Δτ) - ∫ h(Δs) ds from 0 to τ) = μ/Δ ∫ u h'(u) du from 0 to x

reaches the same value for all pages, the price. This generalises Cho & Garcia-Molina's condition (ACM TODS 28(4) 2003)
to any cost h.
"""

from __future__ import annotations

import numpy as np

from hinterland.crawler.features.recrawl.policy import FloatArray


class Harmonic:
    """Revisit by the cost of LambdaCrawl, h(x) = E[1 + 1/2 + ... + 1/N], where N is the number of missed changes.

    Kolobov, Peres, Lu & Horvitz (NeurIPS 2019), for visits at equal intervals. V = μ/Δ (x - 1 + e^-x) has no upper
    bound, so every page is revisited at some time.
    """

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        """Return the waits in seconds, shape (k,)."""
        return np.asarray(_harmonic_inverse(price * rates / importance) / rates, np.float64)


class Binary:
    """Revisit by the cost h(x) = 1 - e^-x, the chance that a page has changed, which keeps the most pages current.

    V = μ/Δ (1 - e^-x (1 + x)) never exceeds μ/Δ: a page that changes too often for its importance is never revisited.
    """

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        """Return the waits in seconds, shape (k,); inf for pages that are never revisited."""
        return np.asarray(_binary_inverse(price * rates / importance) / rates, np.float64)


def _harmonic_inverse(level: FloatArray) -> FloatArray:
    """Return x >= 0 with x - 1 + e^-x = level; the relative error is below 1e-5."""
    x = np.sqrt(level * (level + 2))  # sqrt(2 level) for small, level + 1 for large ones
    x += 0.27 * level / (1 + level + 0.45 * level * level)  # fitted to the remainder, within 0.3 % of x
    fallen = np.expm1(-x)
    x -= (x + fallen - level) / np.maximum(-fallen, 1e-300)  # Newton
    return np.where(level < 1e-9, np.sqrt(2 * level), x)


def _binary_inverse(level: FloatArray) -> FloatArray:
    """Return x >= 0 with 1 - e^-x (1 + x) = level, inf from 1 on; the relative error is below 1e-5."""
    inside = np.minimum(level, 1 - 1e-12)
    # in ln x the function is a smooth step, and bisection needs no care
    low, high = np.full(len(level), -10.0), np.full(len(level), 4.0)
    for _ in range(36):
        middle = (low + high) / 2
        x = np.exp(middle)
        is_below = -np.expm1(-x) - x * np.exp(-x) < inside
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    small = np.sqrt(2 * inside)
    x = np.where(level < 1e-6, small * (1 + small / 3), np.exp((low + high) / 2))
    return np.where(level >= 1, np.inf, x)
