"""Chooses the page to ask about next, so that the answer is most informative."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from hinterland.crawler.features.topics.model.page_words import PageWordCounts
from hinterland.crawler.features.topics.model.topic_model import TopicModel

_ASKED_BEFORE: Final = 1.0
"""The penalty of a page, in log-odds, for each page of its host that was asked about before."""


def most_informative(
    model: TopicModel,
    pages: Sequence[PageWordCounts],
    hosts: Sequence[str],
    addresses: Sequence[str],
    *,
    asked: Collection[str] = (),
    hosts_asked: Sequence[str] = (),
    most: int = 1,
) -> list[int]:
    """Return the indices of the `most` most informative pages, the most informative first.

    These are the pages that the model is least certain about (Lewis & Gale 1994), with a preference for hosts that were
    not asked about yet. Pages whose addresses are in `asked`, and pages without words, are not returned.
    """
    doubt = {
        place: abs(model.log_odds(page))
        for place, page in enumerate(pages)
        if len(page.buckets) and addresses[place] not in asked
    }
    of_host = Counter(hosts_asked)
    chosen: list[int] = []
    while doubt and len(chosen) < most:
        place = min(doubt, key=lambda place: (doubt[place] + _ASKED_BEFORE * of_host[hosts[place]], place))
        del doubt[place]
        of_host[hosts[place]] += 1
        chosen.append(place)
    return chosen
