"""What a shard has learnt, packed to be sent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hinterland.analysis.graph_delta import Cursor, GraphDelta

NONE = np.empty(0, np.int32)
NAMES = np.empty(0, np.uint64)


def delta() -> GraphDelta:
    """Two pages of a host; the first links to the second."""
    pages = np.array([0, 0], np.int32)
    crawled = np.array([0], np.int32), np.array([1], np.int64), np.array([1], np.int32)
    is_local, waiting = np.array([True, True]), np.array([1], np.int32)
    return GraphDelta(Cursor(), ["http://a.test"], pages, NAMES, NONE, NAMES, is_local, *crawled, waiting)


def test_what_was_packed_comes_back() -> None:
    found = delta().packed().unpacked(NONE)
    assert found.until == Cursor(2, 1, 1)
    assert found.hosts == ["http://a.test"]
    assert [each.tolist() for each in (found.order, found.ends, found.targets, found.waiting)] == [[0], [1], [1], [1]]


@pytest.mark.parametrize("field", ["hosts", "page_hosts", "names", "asked_names", "is_local", "waits", "rows"])
def test_what_is_damaged_is_refused(field: str) -> None:
    damage: dict[str, Any] = {field: b"damaged"}
    with pytest.raises(ValueError, match=r"not deflated|reshape"):
        replace(delta().packed(), **damage).unpacked(NONE)
