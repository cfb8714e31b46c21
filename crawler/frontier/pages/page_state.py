"""The states of a page."""

from __future__ import annotations

from enum import StrEnum


class PageState(StrEnum):
    """Where a known page stands, in the order of its life."""

    KNOWN = "known"  # a link leads here, but it is not to be fetched
    WAITING = "waiting"
    FETCHED = "fetched"
    REDIRECTED = "redirected"
    FAILED = "failed"
    REFUSED = "refused"
