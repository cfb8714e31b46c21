"""Figures with their errors, and fitted laws, in words. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import Final

from hinterland.lab.structure.course import Drift
from hinterland.lab.structure.figures import Figure
from hinterland.lab.structure.laws import Law


@dataclass(frozen=True, slots=True)
class Meaning:
    """The name of a figure, and what it means. A share is shown in percent."""

    label: str
    text: str
    is_share: bool = False


MEANINGS: Final = {
    "mean out-degree": Meaning("Links on a page", "mean number of different pages linked to, crawled or not"),
    "mean in-degree": Meaning("Links to a page", "mean number of crawled pages that link to a crawled page"),
    "in-degree exponent": Meaning("In-degree exponent", "exponent of the power law that fits the in-degrees best"),
    "out-degree exponent": Meaning("Out-degree exponent", "the same for the out-degrees"),
    "PageRank exponent": Meaning("PageRank exponent", "the same for PageRank"),
    "sinks": Meaning("Sinks", "pages without a link to another page", is_share=True),
    "core": Meaning("Core", "pages in the largest strongly connected component", is_share=True),
    "IN": Meaning("IN", "pages from which the core can be reached", is_share=True),
    "OUT": Meaning("OUT", "pages that can be reached from the core", is_share=True),
    "largest weak component": Meaning(
        "Largest weak component", "pages connected when the direction of links is ignored", is_share=True
    ),
    "connected pairs": Meaning("Connected pairs", "ordered pairs of pages with a path between them", is_share=True),
    "average distance": Meaning("Average distance", "mean number of clicks from page to page, where there is a path"),
    "effective diameter": Meaning("Effective diameter", "number of clicks that covers 90 % of connected pairs"),
    "harmonic diameter": Meaning("Harmonic diameter", "harmonic mean of all distances; no path counts as ∞"),
    "spid": Meaning(
        "Spid", "variance of the distances over their mean: above 1 on the web, below 1 on social networks"
    ),
    "average clustering": Meaning(
        "Clustering", "mean share of a page's pairs of neighbours that are linked", is_share=True
    ),
    "transitivity": Meaning("Transitivity", "share of all such pairs that are linked", is_share=True),
    "largest core number": Meaning(
        "Densest core", "the largest k with a k-core: pages that each have k neighbours in it"
    ),
}
"""The meanings by the names of the figures."""


def told(name: str, figure: Figure) -> str:
    """Return a figure as it is shown to people: "12.84 ± 0.20", "59.9 %"."""
    factor, unit = (100.0, " %") if MEANINGS[name].is_share else (1.0, "")
    return with_error(factor * figure.value, None if figure.error is None else factor * figure.error) + unit


def with_error(value: float, error: float | None) -> str:
    """Return a value with its error as a text.

    The error has two digits, and the value as many decimal places as the error. A value without an error has three
    significant digits.
    """
    if not error:
        if value == int(value) and abs(value) < 1e15:
            return f"{value:,.0f}"
        return f"{value:,.{_places(value, 3)}f}"
    places = _places(error, 2)
    return f"{value:,.{places}f} ± {error:,.{places}f}"


def _places(value: float, digits: int) -> int:
    """Return how many decimal places give this number of significant digits, six at most."""
    if not value:
        return 0
    return min(max(digits - 1 - floor(log10(abs(value))), 0), 6)


def movement(drift: Drift) -> str:
    """Return words that say how a figure changes at the end of the crawl."""
    if drift.is_settled:
        return "settled"
    return "still rising" if drift.change > 0 else "still falling"


def law_sentences(law: Law) -> list[str]:
    """Return sentences that say what was fitted, whether the fit is good, and whether another law fits better."""
    fit = law.power_law
    if fit is None:
        return ["There are too few values to fit a law."]
    exponent = with_error(fit.exponent, fit.interval[1] - fit.exponent)
    share = f"{100 * fit.tail / fit.size:.3g} %"
    begin = "all values" if fit.tail == fit.size else f"the values from {fit.x_min:,} on, {share} of all"
    sentences = [f"Exponent {exponent} (95 %), fitted to {begin}."]
    goodness = law.goodness
    if goodness is not None:
        chance = f"p = {goodness.p_value:.2f} from {goodness.samples} samples"
        if goodness.p_value >= 0.1:
            sentences.append(f"Its distance from the data does not rule out a power law ({chance}).")
        else:
            sentences.append(f"Strictly, a power law is ruled out ({chance}); the exponent is only a summary.")
    better = [other for other in law.alternatives if other.log_ratio < 0 and other.p_value < 0.05]
    if better:
        best = min(better, key=lambda other: other.log_ratio)
        article = "An" if best.name[0] in "aeiou" else "A"
        sentences.append(f"{article} {best.name} fits better (log-likelihood +{-best.log_ratio:,.1f}).")
    return sentences
