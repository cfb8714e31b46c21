"""The states of a page."""

from __future__ import annotations

from enum import StrEnum


class PageState(StrEnum):
    """The state of a known page: KNOWN or WAITING before its first visit, and another state after its last."""

    KNOWN = "known"  # a link leads to it, but it is not to be fetched
    WAITING = "waiting"
    FETCHED = "fetched"
    REDIRECTED = "redirected"
    FAILED = "failed"
    REFUSED = "refused"
