"""Checks of links as the store keeps them: plain values."""

from __future__ import annotations

from typing import NamedTuple


class LinkChecked(NamedTuple):
    """The outcome of a check, in the columns of its table; `at` in epoch seconds. `via` and `detail` may be ""."""

    url: str
    kind: str
    outcome: str
    at: float
    via: str = ""
    detail: str = ""
    status: int | None = None
    target: str | None = None
    content_type: str | None = None
    size: int | None = None
