"""Broken links as rows and in words. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hinterland.library.text.wording import moment
from hinterland.storage.values.broken_links import REDIRECT_LOOP, BrokenPage

COLUMNS = ("broken", "outcome", "status", "detail", "visited", "linking_page", "anchor", "kind", "nofollow", "via")
"""The columns of `broken_link_rows`."""


def broken_link_rows(pages: Iterable[BrokenPage]) -> Iterator[tuple[object, ...]]:
    """Yield a row of COLUMNS for each broken link, and one row for each broken page to which no links are known."""
    for page in pages:
        visited = None if page.visited_at is None else moment(page.visited_at)
        first = (page.page.url, page.outcome, page.status, page.detail, visited)
        for link in page.links:
            via = None if link.via is None else link.via.url
            yield (*first, link.source.url, link.anchor, link.kind, link.is_nofollow, via)
        if not page.links:
            yield (*first, None, None, None, None, None)


def reason(outcome: str, status: int | None) -> str:
    """Return why a page is broken: "client error 404", "dns failure", "redirects in a circle"."""
    words = {REDIRECT_LOOP: "redirects in a circle"}.get(outcome, outcome.replace("_", " "))
    return words if status is None else f"{words} {status}"
