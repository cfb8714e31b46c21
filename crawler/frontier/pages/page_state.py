"""The states of a page."""

from __future__ import annotations

from enum import StrEnum


class PageState(StrEnum):
    """The state of a known page, in the order in which a page goes through them."""

    KNOWN = "known"  # a link leads here, but it is not to be fetched
    WAITING = "waiting"
    FETCHED = "fetched"
    REDIRECTED = "redirected"
    FAILED = "failed"
    REFUSED = "refused"
