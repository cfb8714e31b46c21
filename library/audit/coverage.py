"""How much of a site its crawl has seen, and which rules can therefore not be judged. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hinterland.library.text.wording import counted, number


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a crawl has seen of the local pages of its site, in numbers of pages.

        pages            HTML pages that were read
        others           files that are not read, such as images
        failed           pages without a readable answer, except the challenged ones
        challenged       pages behind a bot filter
        refused          pages that robots.txt forbids
        waiting          pages still to be requested
        retrying         waiting pages that failed and will be tried again
        on_lost_hosts    waiting pages on hosts that were given up
        beyond           pages that will not be requested because they are too deep
        nofollow         pages to which only nofollow links lead
        slowed           waiting pages whose URLs seem endless
        cut              pages with more links than were kept

    `ended` is why the last run ended, "" if it was killed. `is_running` means that a crawl is under way.
    """

    pages: int
    others: int = 0
    redirects: int = 0
    failed: int = 0
    challenged: int = 0
    refused: int = 0
    waiting: int = 0
    retrying: int = 0
    on_lost_hosts: int = 0
    beyond: int = 0
    nofollow: int = 0
    slowed: int = 0
    cut: int = 0
    ended: str = ""
    is_running: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the crawl has visited every page that it may visit."""
        return not (self.is_running or self.waiting or self.beyond)

    @property
    def missing(self) -> str:
        """Why rules that need all pages cannot be judged, in a few words; "" if they can be judged."""
        if self.waiting:
            return counted(self.waiting, "page waits", "pages wait")
        if self.beyond:
            return f"{counted(self.beyond, 'page was', 'pages were')} left out as too deep"
        return "the crawl is running" if self.is_running else ""

    @property
    def unread(self) -> str:
        """Words that say which pages were not read, even by a complete crawl; "" if all were read."""
        parts = [
            (self.refused, "forbidden by robots.txt"),
            (self.failed, "without a readable answer"),
            (self.challenged, "behind a bot filter"),
            (self.nofollow, "linked with nofollow only"),
            (self.cut, "with more links than are kept"),
        ]
        told = [f"{number(count)} {what}" for count, what in parts if count]
        return ", ".join(told)

    def lines(self) -> Iterator[str]:
        """Yield sentences that say how complete the crawl is."""
        yield f"{counted(self.pages, 'HTML page was', 'HTML pages were')} read."
        if self.is_whole:
            yield "Every page within reach was visited."
        else:
            yield f"The crawl is not complete: {self.missing}."
        if self.retrying:
            yield f"{counted(self.retrying, 'page')} failed and will be tried again."
        if self.on_lost_hosts:
            yield f"{counted(self.on_lost_hosts, 'page is', 'pages are')} on hosts that were given up."
        if self.slowed:
            yield f"{counted(self.slowed, 'waiting page looks', 'waiting pages look')} like a part of endless spaces."
        if self.unread:
            yield f"Pages that were not read, or not whole: {self.unread}."
