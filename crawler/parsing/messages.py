"""Messages between the crawl and its parser processes: msgpack frames, each preceded by its length.

The messages are typed and hold only data. So a parser process that a hostile page has taken over can lie about pages,
but cannot make the crawl run anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec

from hinterland.crawler.parsing.extraction.extracted import Extracted
from hinterland.crawler.parsing.html.page_bounds import MAX_LINKS
from hinterland.crawler.parsing.html.parsed_page import ParsedPage
from hinterland.crawler.parsing.html.tree_bound import MAX_TREE_BYTES
from hinterland.crawler.parsing.page_readers import ReaderOrder
from hinterland.crawler.parsing.text_hashes import NO_HASHES, TextHashes

_LENGTH_BYTES = 4
MAX_FRAME_BYTES = 2**32 - 1
OUT_OF_MEMORY = 77
"""The exit code of a parser process that has too little memory left to receive a page."""


class ParserConfig(msgspec.Struct, frozen=True, array_like=True):
    """The first message to a parser process.

    `reader` is the path of the compiled reader; with "", pages are read in Python. `page_readers` are the readers that
    features ordered. `rules` are the extraction rules, b"" for none. `hooks` says where the hooks named in the rules
    are: absolute paths of plug-in files, or names of installed hooks; `hook_objects` holds hooks that were passed as
    objects (plugins/objects.py). `extracts_only` says that pages are read only for extraction. `documents` are the
    kinds of documents that are read besides HTML. `timeout_seconds` is how long a page may take before the process is
    killed (pool/page_time.py).
    """

    agent: str
    max_body_bytes: int
    max_url_length: int
    sort_parameters: bool
    drop_parameters: list[str]
    keep_text: bool
    keep_bodies: bool
    max_memory_bytes: int
    reader: str = ""
    max_links: int = MAX_LINKS
    max_tree_bytes: int = MAX_TREE_BYTES
    page_readers: list[ReaderOrder] = []
    rules: bytes = b""
    hooks: list[str] = []
    extracts_only: bool = False
    documents: list[str] = []
    timeout_seconds: float = math.inf
    hook_objects: bytes = b""


class Greeting(msgspec.Struct, frozen=True, array_like=True):
    """The first message from a parser process, with its process id."""

    process: int


class EarlierPage(msgspec.Struct, frozen=True, array_like=True):
    """The stored version of a page, with which to compare the new one.

    `text` is a zstd frame, or b"". `keeps_text` says whether to keep the earlier text, and `lacks_body` that the store
    has no body of the page.
    """

    body_hash: bytes
    title: str = ""
    text: bytes = b""
    keeps_text: bool = False
    lacks_body: bool = False


class RawPage(msgspec.Struct, frozen=True, array_like=True):
    """A page to parse: the body as sent, and the header fields needed to read it.

    `interest` is an Interest. `without` names the tables that must not be tried again: it maps their numbers, from 1,
    to the reason. `earlier` is the stored version, if there is one. `keeps_body` says whether to return the body,
    provided that the config keeps bodies. `only_reader` is for a body that is not a page: only the page reader of this
    name reads it, and no page is returned.
    """

    url: str
    body: bytes
    content_encoding: str = ""
    content_type: str | None = None
    robots_tags: tuple[str, ...] = ()
    link_fields: tuple[str, ...] = ()
    interest: int = 0
    without: dict[int, str] = {}
    earlier: EarlierPage | None = None
    refresh: str | None = None
    keeps_body: bool = True
    only_reader: str = ""


class Rendered(msgspec.Struct, frozen=True, array_like=True):
    """The result of rendering a page.

    `is_done` says that the rendered page was parsed; otherwise the page was parsed as the server sent it. `problem`
    says why rendering failed or is incomplete. `moved_to` is the URL to which the page's scripts navigated, as written.
    `requests` counts further requests to the page's own host; `seconds` is how long these took. `opened_by` names the
    logins with which requests of the page's scripts were answered, such as "bearer"; "" for none.
    """

    is_done: bool
    problem: str = ""
    moved_to: str = ""
    requests: int = 0
    seconds: float = 0.0
    opened_by: str = ""


class Comparison(msgspec.Struct, frozen=True, array_like=True):
    """How a page compares with its stored version.

    `is_same` says that the bodies are identical, so nothing else was read. `share` is the share of words in the content
    that are new or gone. `links` holds the positions of links in the content, without links whose targets look as if
    they were made for one response only. `before` is the earlier text (see versions), b"" if it is not kept.
    """

    is_same: bool = False
    share: float = 0.0
    links: list[int] = []
    before: bytes = b""


class PageDigest(msgspec.Struct, frozen=True, array_like=True):
    """The result of parsing a page.

    If `page` is None, `failure` is an outcome kind and `detail` explains it. `body_bytes` and `body_hash` (SHA-256,
    first 16 bytes) describe the decoded body. `text` and `body` are zstd frames, if kept; `main` says which blocks of
    the text are the main content (blocks/main_blocks). `text_hashes` holds the requested hashes. `readings` has what
    each page reader read, by its name. `extracted` has one entry for each table that reads the page. `is_shell` says
    that the page shows nothing without a browser, see shell_pages. `rendered` is set if the page was rendered, and
    `comparison` if there was a stored version.
    """

    page: ParsedPage | None = None
    failure: str = ""
    detail: str = ""
    body_bytes: int = 0
    body_hash: bytes = b""
    text: bytes | None = None
    headings: str = "[]"
    body: bytes | None = None
    text_hashes: TextHashes = NO_HASHES
    readings: dict[str, bytes] = {}
    extracted: list[Extracted] = []
    is_shell: bool = False
    rendered: Rendered | None = None
    comparison: Comparison | None = None
    main: bytes = b""


def frame(message: msgspec.Struct, encoder: msgspec.msgpack.Encoder) -> bytes:
    """Return the bytes that carry one message."""
    buffer = bytearray(_LENGTH_BYTES)
    encoder.encode_into(message, buffer, _LENGTH_BYTES)
    buffer[:_LENGTH_BYTES] = (len(buffer) - _LENGTH_BYTES).to_bytes(_LENGTH_BYTES, "big")
    return bytes(buffer)


class FrameReader:
    """Splits a stream of bytes into the payloads of its frames."""

    def __init__(self) -> None:
        """Start with an empty buffer."""
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the payloads of frames that are complete with these bytes."""
        buffer = self._buffer
        buffer += data
        while len(buffer) >= _LENGTH_BYTES:
            end = _LENGTH_BYTES + int.from_bytes(buffer[:_LENGTH_BYTES], "big")
            if len(buffer) < end:
                return
            yield self._cut(end)

    def _cut(self, end: int) -> bytes:
        """Remove and return the first frame, without holding a large frame in memory twice while it is read."""
        with memoryview(self._buffer) as view:
            payload = bytes(view[_LENGTH_BYTES:end])
        del self._buffer[:end]
        return payload
