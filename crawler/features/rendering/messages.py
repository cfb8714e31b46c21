"""Messages between the crawl and the process that drives a browser, framed like those of the parser processes.

    the crawl                         the browser's process
              ◄── BrowserReady           it has started
    PageToRender ──►
              ◄── SubresourceRequest     a script asks for something; any number of these at a time
    SubresourceResponse ──►              the answer
              ◄── Shown                  the page is done; its open requests get no answer

A page that takes over that process can lie about pages, and ask for what a page may ask for, but cannot make the crawl
do anything else.
"""

from __future__ import annotations

from typing import Final

import msgspec

CRASHED: Final = "the renderer process died"
"""The problem of a page whose process was ended from outside, or by the page itself."""


class RenderConfig(msgspec.Struct, frozen=True, array_like=True, tag="config"):
    """The first frame to the process.

    `folder` holds its files, and the process removes it. `browser` is the path of a Chromium, `agent` its User-Agent.
    `max_bytes` limits a page or any resource, `max_received_bytes` everything that one page gets, both decompressed.
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
    """The browser has started.

    `process` is Chromium's, which leads its process group. `problem` says why there is none.
    """

    process: int = 0
    problem: str = ""


class PageToRender(msgspec.Struct, frozen=True, array_like=True, tag="page"):
    """A page as it was sent.

    `moves` says whether to note where its scripts navigate. `rest_seconds` is how long in all its host may rest while
    the page waits for what it asks for; the page has that much more time.
    """

    url: str
    body: bytes
    content_encoding: str
    content_type: str | None
    moves: bool
    rest_seconds: float = 0.0


class SubresourceRequest(msgspec.Struct, frozen=True, array_like=True, tag="wanted"):
    """A request of the page being rendered.

    `kind` is the browser's own resource type: script, fetch, ...
    """

    number: int
    url: str
    kind: str
    method: str


class SubresourceResponse(msgspec.Struct, frozen=True, array_like=True, tag="given"):
    """The answer to the SubresourceRequest of that number; status 0 refuses it.

    `body` is as sent.
    """

    number: int
    status: int = 0
    body: bytes = b""
    content_encoding: str = ""
    content_type: str | None = None


class Shown(msgspec.Struct, frozen=True, array_like=True, tag="shown"):
    """The result of rendering a page.

    `html` is the page now, None if that is unknown. `moved_to` is where its scripts wanted to navigate, "" if nowhere.
    `problem` says what went wrong or was not done. `is_ended` says that the process ends because its browser failed.
    `is_lost` says that, as far as known, the page did not cause that, so another browser may render it.
    """

    html: bytes | None = None
    moved_to: str = ""
    problem: str = ""
    is_ended: bool = False
    is_lost: bool = False


ToBrowser = RenderConfig | PageToRender | SubresourceResponse
FromBrowser = BrowserReady | SubresourceRequest | Shown
