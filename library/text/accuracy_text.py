"""What a random sample shows about the pages of a crawl with a topic, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hinterland.library.text.wording import counted, number

if TYPE_CHECKING:
    from hinterland.crawler.features.topics.links.exploration_accuracy import ExplorationAccuracy, Interval, Proportion


def accuracy_of(progress: Mapping[str, Any]) -> ExplorationAccuracy | None:
    """Return the accuracy that a crawl has stored with its progress.

    It is None if the policy draws no sample or has drawn none yet, and for stores of an earlier version.
    """
    found = progress.get("accuracy")
    if found is None:
        return None
    import msgspec

    from hinterland.crawler.features.topics.links.exploration_accuracy import (
        ExplorationAccuracy,  # both take longer to import than all the rest of `status`
    )

    return msgspec.convert(found, ExplorationAccuracy)


def accuracy_lines(accuracy: ExplorationAccuracy) -> Iterator[str]:
    """Yield lines that say how accurate the judgements are, with 95% confidence intervals in brackets."""
    drawn = accuracy.relevant
    first = f"of {counted(drawn.count, 'sampled page')} {_percent(drawn)} are relevant"
    if accuracy.precision.count:
        precision = accuracy.precision
        first += f"; of the {number(precision.count)} among them with a high predicted relevance {_percent(precision)}"
    yield first
    if accuracy.ordered is not None:
        yield (
            f"a relevant page was predicted above another {_percent(accuracy.ordered)} of the time;"
            f" predicted {accuracy.promised:.2f} on average, actual {accuracy.worth:.2f}"
            f" ({accuracy.worth_interval[0]:.2f} to {accuracy.worth_interval[1]:.2f})"
        )
    waiting, low, high = accuracy.found.count, *accuracy.left.interval
    if accuracy.left.count and waiting:
        yield (
            f"of {counted(waiting, 'waiting page')} about {number(accuracy.left.value * waiting)}"
            f" ({number(low * waiting)} to {number(high * waiting)}) are relevant: the crawl has"
            f" visited {_percent(accuracy.found)} of the relevant pages it knows"
        )


def _percent(share: Proportion) -> str:
    return f"{_rounded(share.value)} % ({_between(share.interval)})"


def _between(interval: Interval) -> str:
    return " to ".join(map(_rounded, interval))


def _rounded(share: float) -> str:
    """Return a share in percent, with one more digit below one percent."""
    return f"{100 * share:.1f}" if 0 < share < 0.01 else f"{100 * share:.0f}"
