"""A topic of examples alone, where no other page is known: how similar to them a page is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from hinterland.crawler.features.topics.model.calibration import Floats
from hinterland.crawler.features.topics.model.common_words import CommonWords
from hinterland.crawler.features.topics.model.page_rows import HEAD_WEIGHT, matrix
from hinterland.crawler.features.topics.model.page_words import PageWordCounts
from hinterland.crawler.features.topics.model.topic_model import TopicModel

_AS_LIKELY_AS_NOT: Final = 0.6
"""Where a page is as likely about the topic as not, on the way from any page to an example."""
_LOG_ODDS_APART: Final = 16.0
"""Between an example and any page: the farthest that calibration takes two kinds to be apart (`calibration`)."""
_OF_ONE: Final = 0.1
"""How far on the way from any page to the only example another page of the topic lies: the mean for ten examples each
of eight topics.
"""
_LEAST_APART: Final = 0.02


def one_class_model(pages: Sequence[PageWordCounts], common: CommonWords, prior: float) -> tuple[TopicModel, Floats]:
    """Return a model from examples alone, and the log-odds of each example by the others, shape (n,).

    The model is the direction of the mean of the examples (Rocchio 1971), scaled by how similar they are to each other,
    and how similar to them any page is. Its probabilities are a guess. `pages` have words, and there is at least one.
    The similarity of examples of different hosts would be a more honest scale, but is so small that too many other
    pages would pass.
    """
    rows = np.asarray(matrix(pages, common.rarity, HEAD_WEIGHT).toarray(), np.float64)
    mean = rows.mean(0)
    any_page = float(common.mean_row @ mean)
    likeness = rows @ rows.T
    itself = np.diag(likeness)
    if len(rows) > 1:
        held_out = (likeness.sum(1) - itself) / (len(rows) - 1)
    else:
        held_out = any_page + _OF_ONE * (itself - any_page)
    apart = max(float(held_out.mean()) - any_page, _LEAST_APART)
    slope = _LOG_ODDS_APART / apart
    middle = any_page + _AS_LIKELY_AS_NOT * apart
    weights = (slope * mean).astype(np.float32)
    model = TopicModel(weights, common.rarity, -slope * middle, prior, HEAD_WEIGHT)
    return model, np.asarray(slope * (held_out - middle))
