"""The results of link checks by URL, with redirects followed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from hinterland.crawler.urls.hosts import host_of
from hinterland.library.audit.kinds import UNCHECKED_STATUSES

_ABSENT: Final = frozenset({"client_error", "soft_404", "bad_redirect"})
_UNSAID: Final = frozenset({"challenged", "throttled", "robots", "forbidden_address", "left_out", "internal_error"})
_GIVEN_UP: Final = "host_given_up"
_WORDS: Final = {
    _GIVEN_UP: "its host did not answer, or its robots.txt could not be read",
    "robots": "robots.txt forbids it",
}
_MOST_STEPS: Final = 20


class Check(NamedTuple):
    """The outcome of one check.

    `target` is where a redirect leads. `via` is the style sheet or redirect through which the URL was found.
    """

    kind: str
    outcome: str
    status: int | None
    target: str | None
    via: str | None
    size: int | None


@dataclass(frozen=True, slots=True)
class Said:
    """What is known about a URL.

    `reason` says why it is absent, unreachable or must not be checked; "" if it exists. `leads_to` is the URL to which
    it redirects if that URL was not checked, for example because it is a page of the site.
    """

    is_absent: bool = False
    is_unreachable: bool = False
    is_unsaid: bool = False
    reason: str = ""
    leads_to: str = ""


class Checks:
    """All checks of a store."""

    def __init__(self, rows: Iterable[tuple[str, Check]]) -> None:
        """Take the checks by URL."""
        self.of: Mapping[str, Check] = dict(rows)
        self._answering = {host_of(url) for url, check in self.of.items() if check.status is not None}

    def said(self, url: str) -> Said | None:
        """Return what the checks say about a URL after following redirects; None if it was not checked."""
        check = self.of.get(url)
        steps = 0
        while check is not None and check.outcome == "redirected" and check.target is not None:
            steps += 1
            if steps > _MOST_STEPS:
                return Said(is_absent=True, reason="redirects never end")
            if check.target not in self.of:
                return Said(leads_to=check.target)  # a page of the site, which the crawl judges, or a redirect too many
            url, check = check.target, self.of[check.target]
        if check is not None and check.outcome == _GIVEN_UP and host_of(url) in self._answering:
            return Said(is_unsaid=True, reason="not asked: other addresses of the host failed")
        return None if check is None else _said(check)


def _said(check: Check) -> Said:
    reason = f"status {check.status}" if check.status is not None and check.status >= 400 else ""
    reason = reason or _WORDS.get(check.outcome) or check.outcome.replace("_", " ")
    if check.outcome in ("fetched", "redirected", "other_type", "page"):
        return Said()
    if check.outcome in _UNSAID or (check.outcome == "client_error" and check.status in UNCHECKED_STATUSES):
        return Said(is_unsaid=True, reason=reason)
    if check.outcome in _ABSENT:
        return Said(is_absent=True, reason=reason)
    return Said(is_unreachable=True, reason=reason)
