"""The addresses to check: which are known, and whether to request them by HEAD or GET. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.loop.files.file_queue import FileQueue, WantedFile
from hinterland.crawler.loop.files.known_files import KnownFiles
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import host_of

PAGE: Final = "page"
"""The kind of checks of linked pages of other hosts. The other kinds are the names of ResourceKind in lower case."""
LEFT_OUT: Final = "left_out"
"""The outcome of addresses beyond the limit of their host."""
MOST_STEPS: Final = 10
"""How many redirects and style sheets may lie between a page and an address."""


@dataclass(slots=True, kw_only=True)
class Check(WantedFile):
    """An address to check.

    `via` is the URL of the redirect or style sheet that led there, "" if a page did. `steps` counts the redirects and
    style sheets between the page and the address. `by_get` says that HEAD got an error that GET must confirm.
    """

    kind: str
    via: str = ""
    steps: int = 0
    by_get: bool = False


class KnownChecks:
    """All addresses that a crawl checks or has checked. Mutable."""

    def __init__(
        self, max_per_host: int, is_ours: Callable[[str, str], bool], known: Iterable[tuple[str, str]]
    ) -> None:
        """Begin with the addresses that were checked, with their outcomes.

        `is_ours` returns, for a URL and its kind, whether the crawl fetches it anyway.
        """
        self._is_ours = is_ours
        self._canonical = Canonicaliser().canonical
        self._files = KnownFiles[str](
            max_per_host, ((url, None if outcome == LEFT_OUT else host_of(url)) for url, outcome in known)
        )
        self._trusts_head: dict[str, bool] = {}
        self.queue = FileQueue[Check]()

    def want(self, url: str, kind: str, via: str = "", steps: int = 0) -> Iterator[Check]:
        """Queue an address unless it is known. If its host has reached its limit, yield the check instead."""
        target = self._canonical(url)
        if target is None or steps > MOST_STEPS or self._files.find(target) is not None or self._is_ours(target, kind):
            return
        check = Check(target, kind=kind, via=via, steps=steps)
        if self._files.add(target, host_of(target)) is not None:
            self.queue.wait(check)
            return
        self._files.add_uncounted(target)
        self.queue.tally[LEFT_OUT] += 1
        yield check

    def asks_by_head(self, check: Check) -> bool:
        """Return whether to request by HEAD. Style sheets, and hosts that answered HEAD wrongly, need GET."""
        is_read = check.kind == "style"
        return not (is_read or check.by_get or not self._trusts_head.get(host_of(check.url), True))

    def must_confirm(self, check: Check, status: int | None) -> bool:
        """Return whether GET must confirm an error that HEAD has shown.

        Status 404 or 410 is confirmed only for the first such address of a host. Any other error is always confirmed,
        because it may only mean that the server does not support HEAD.
        """
        return status not in (404, 410) or host_of(check.url) not in self._trusts_head

    def compared(self, check: Check, *, is_there: bool) -> None:
        """Note whether GET found the address (`is_there`) for which HEAD had given an error."""
        self._trusts_head[host_of(check.url)] = not is_there
