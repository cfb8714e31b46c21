"""Links as a learner sees them."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.features.topics.links.link_features import LIKENESSES, LinkFeatures


def features_of(rows: list[list[int]], likeness: float = 0.0) -> LinkFeatures:
    sizes = np.array([len(row) for row in rows], np.int64)
    numbers = np.array([number for row in rows for number in row], np.uint16)
    return LinkFeatures(np.cumsum(sizes), numbers, np.full((len(rows), LIKENESSES), likeness, np.float32))
