"""Why a crawl has not reached pages of its domain although nothing failed, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hinterland.library.text.wording import counted, number, printable
from hinterland.storage.values.reach import NofollowReport, StartReport

_SHOWN: Final = 3


def reach_lines(starts: Sequence[StartReport], left: NofollowReport | None) -> Iterator[str]:
    """Yield the start pages from which no link leads on, and the pages left out by nofollow.

    Each of the two follows a blank line. Yields nothing if every start page leads on and nothing was left out.
    """
    if starts:
        yield ""
        yield "Start pages that lead nowhere" if len(starts) == 1 else f"Start pages that lead nowhere: {len(starts)}"
        for each in starts[:_SHOWN]:
            yield f"  {printable(each.url)}: {_why(each)}"
        if len(starts) > _SHOWN:
            yield f"  and {number(len(starts) - _SHOWN)} more"
        if any(each.is_shell for each in starts):
            yield "  Another crawl, with --render auto, reads pages that scripts fill."
    if left is not None:
        yield ""
        pages = counted(left.pages, "page")
        yield f"Left out by nofollow: {pages} of the domain, for example"
        yield f"  {printable(left.example)}, found on {printable(left.found_on)}"
        yield f"  {_by_whom(left)}"


def _why(start: StartReport) -> str:
    links = counted(start.links, "link")
    if start.is_shell:
        return f"a shell, with {links if start.links else 'no links'} before its scripts have run"
    if not start.links:
        return "it has no links"
    if not start.followed:
        marked = "the page says nofollow" if start.is_nofollow else "marked nofollow"
        return f"its {links} are not followed: {marked}" if start.links > 1 else f"its link is not followed: {marked}"
    return f"its {links} lead out of the domain" if start.links > 1 else "its link leads out of the domain"


def _by_whom(left: NofollowReport) -> str:
    of_page = "meta robots or X-Robots-Tag (robots.obey_page_directives)"
    of_link = "rel=nofollow (robots.obey_nofollow)"
    if left.by_page == left.pages:
        return f"Their pages ask for it, by {of_page}."
    if not left.by_page:
        return f"The links ask for it, by {of_link}."
    return f"{number(left.by_page)} by {of_page}, the others by {of_link}."
