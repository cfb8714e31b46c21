"""Models a topic by the similarity of pages to its examples, if no other pages are known."""

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
"""The similarity at which P(topic | page) is one half. An average page has 0, and an example 1."""
_LOG_ODDS_APART: Final = 16.0
"""The difference in log-odds between an example and an average page: the largest that `calibration` assumes."""
_OF_ONE: Final = 0.1
"""The similarity of another page of the topic to the only example, on a scale from an average page (0) to the example
itself (1). This is the mean for ten examples each of eight topics.
"""
_LEAST_APART: Final = 0.02


def one_class_model(pages: Sequence[PageWordCounts], common: CommonWords, prior: float) -> tuple[TopicModel, Floats]:
    """Return a model made from examples alone, and the log-odds of each example by a model of the others, shape (n,).

    The model is the direction of the mean of the examples (Rocchio 1971), scaled by the similarity of the examples to
    each other and to an average page. Its probabilities are a guess. There must be at least one page, and each must
    have words. The similarity between examples of different hosts would be a more honest scale, but it is so low that
    too many other pages would pass.
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
