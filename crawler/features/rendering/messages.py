"""What the crawl and the process that drives a browser say to each other: frames as those of the parser processes.

    the crawl                       the browser's process
              ◄── BrowserReady         it has started
    PageToRender ──►
              ◄── SubresourceRequest   a script asks for something; any number of these at a time
    SubresourceResponse ──►            what it is let have
              ◄── Shown                the page is done; nothing that it still wants is answered

Whoever has taken over that process, by way of a page, can lie about pages and ask for what a page may ask for, but not
make the crawl do anything else.
"""

from __future__ import annotations

from typing import Final

import msgspec

CRASHED: Final = "the process that showed it died"
"""The problem of a page whose process was ended from outside, or by the page itself."""


class RenderConfig(msgspec.Struct, frozen=True, array_like=True, tag="config"):
    """The first frame to the process. folder: for its files, which it removes; browser: path of a Chromium; agent: what
    it calls itself; max_bytes: of a page or anything else, decompressed; max_received_bytes: of all that one page is
    given, likewise.
    """

    folder: str
    browser: str
    agent: str
    timeout_seconds: float
    quiet_seconds: float
    max_bytes: int
    max_received_bytes: int
    max_memory_bytes: int
    is_sandboxed: bool


class BrowserReady(msgspec.Struct, frozen=True, array_like=True, tag="ready"):
    """process: that of Chromium, the leader of its group. problem: why there is none."""

    process: int = 0
    problem: str = ""


class PageToRender(msgspec.Struct, frozen=True, array_like=True, tag="page"):
    """A page as it was sent. moves: whether to note where its scripts lead. rest_seconds: how long its host may rest
    in all while the page waits for what it asks for; the page has that much more time.
    """

    url: str
    body: bytes
    content_encoding: str
    content_type: str | None
    moves: bool
    rest_seconds: float = 0.0


class SubresourceRequest(msgspec.Struct, frozen=True, array_like=True, tag="wanted"):
    """kind: the browser's own word for what it is to be used for: script, fetch, ..."""

    number: int
    url: str
    kind: str
    method: str


class SubresourceResponse(msgspec.Struct, frozen=True, array_like=True, tag="given"):
    """The answer to the SubresourceRequest of that number; status 0: it cannot have it. body: as sent."""

    number: int
    status: int = 0
    body: bytes = b""
    content_encoding: str = ""
    content_type: str | None = None


class Shown(msgspec.Struct, frozen=True, array_like=True, tag="shown"):
    """html: what the page is now, None if that cannot be said. moved_to: where its scripts wanted to go, "" if nowhere.
    problem: what went wrong, or was not done. is_ended: the process ends, as something was wrong with its browser.
    is_lost: that was none of the page's doing, as far as one can tell, so another browser may show it.
    """

    html: bytes | None = None
    moved_to: str = ""
    problem: str = ""
    is_ended: bool = False
    is_lost: bool = False


ToBrowser = RenderConfig | PageToRender | SubresourceResponse
FromBrowser = BrowserReady | SubresourceRequest | Shown
