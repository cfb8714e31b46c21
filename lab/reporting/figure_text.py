"""Figures with their errors, and laws, in words. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import Final

from hinterland.lab.structure.course import Drift
from hinterland.lab.structure.figures import Figure
from hinterland.lab.structure.laws import Law


@dataclass(frozen=True, slots=True)
class Meaning:
    """is_share: it is told in percent."""

    label: str
    text: str
    is_share: bool = False


MEANINGS: Final = {
    "mean out-degree": Meaning("Links on a page", "different pages linked to, crawled or not; the mean"),
    "mean in-degree": Meaning("Links to a page", "crawled pages that link to a crawled page; the mean"),
    "in-degree exponent": Meaning("In-degree exponent", "of the power law that fits the in-degrees best"),
    "out-degree exponent": Meaning("Out-degree exponent", "the same of the out-degrees"),
    "PageRank exponent": Meaning("PageRank exponent", "the same of PageRank"),
    "sinks": Meaning("Sinks", "pages without a link to another page", is_share=True),
    "core": Meaning("Core", "pages of the largest strong component", is_share=True),
    "IN": Meaning("IN", "pages that lead to the core", is_share=True),
    "OUT": Meaning("OUT", "pages that the core leads to", is_share=True),
    "largest weak component": Meaning("Largest weak component", "pages connected in any direction", is_share=True),
    "connected pairs": Meaning("Connected pairs", "ordered pairs of pages with a path", is_share=True),
    "average distance": Meaning("Average distance", "clicks from page to page, where there is a path"),
    "effective diameter": Meaning("Effective diameter", "clicks within which 90 % of connected pairs lie"),
    "harmonic diameter": Meaning("Harmonic diameter", "harmonic mean of all distances; no path counts as ∞"),
    "spid": Meaning("Spid", "variance of the distances over their mean: above 1 on the web, below on social networks"),
    "average clustering": Meaning("Clustering", "linked pairs of a page's neighbours; the mean", is_share=True),
    "transitivity": Meaning("Transitivity", "linked pairs of all such pairs", is_share=True),
    "largest core number": Meaning("Densest core", "the largest k with a k-core: pages with k neighbours in it each"),
}
"""Name of a figure -> what it is called and what it means."""


def told(name: str, figure: Figure) -> str:
    """A figure as people read it: "12.84 ± 0.20", "59.9 %"."""
    factor, unit = (100.0, " %") if MEANINGS[name].is_share else (1.0, "")
    return with_error(factor * figure.value, None if figure.error is None else factor * figure.error) + unit


def with_error(value: float, error: float | None) -> str:
    """The error with two digits, the value to the same place; three significant digits without an error."""
    if not error:
        if value == int(value) and abs(value) < 1e15:
            return f"{value:,.0f}"
        return f"{value:,.{_places(value, 3)}f}"
    places = _places(error, 2)
    return f"{value:,.{places}f} ± {error:,.{places}f}"


def _places(value: float, digits: int) -> int:
    """Decimal places for so many significant digits, six at most."""
    if not value:
        return 0
    return min(max(digits - 1 - floor(log10(abs(value))), 0), 6)


def movement(drift: Drift) -> str:
    """What a figure does at the end of the crawl."""
    if drift.is_settled:
        return "settled"
    return "still rising" if drift.change > 0 else "still falling"


def law_sentences(law: Law) -> list[str]:
    """What was fitted, whether it is any good, and what would be better."""
    fit = law.power_law
    if fit is None:
        return ["There are too few values for a law."]
    exponent = with_error(fit.exponent, fit.interval[1] - fit.exponent)
    share = f"{100 * fit.tail / fit.size:.3g} %"
    begin = "all of them" if fit.tail == fit.size else f"those from {fit.x_min:,} on, {share} of them"
    sentences = [f"Exponent {exponent} (95 %), fitted to {begin}."]
    goodness = law.goodness
    if goodness is not None:
        chance = f"p = {goodness.p_value:.2f}, {goodness.samples} samples drawn"
        if goodness.p_value >= 0.1:
            sentences.append(f"Nothing in its distance from the data rules a power law out ({chance}).")
        else:
            sentences.append(f"Strictly, a power law is ruled out ({chance}); the exponent is a description.")
    better = [other for other in law.alternatives if other.log_ratio < 0 and other.p_value < 0.05]
    if better:
        best = min(better, key=lambda other: other.log_ratio)
        article = "an" if best.name[0] in "aeiou" else "a"
        sentences.append(f"Likelier is {article} {best.name} (log-likelihood +{-best.log_ratio:,.1f}).")
    return sentences
