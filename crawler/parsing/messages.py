"""What the crawl and its parser processes say to each other: msgpack frames with a length before each.

The frames are typed and hold data only, so a parser process that a hostile page has taken over can lie
about that page, but not make the crawl run anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec

from hinterland.crawler.parsing.extraction.extracted import Extracted
from hinterland.crawler.parsing.html.page_bounds import MAX_LINKS
from hinterland.crawler.parsing.html.parsed_page import ParsedPage
from hinterland.crawler.parsing.html.tree_bound import MAX_TREE_BYTES
from hinterland.crawler.parsing.page_readings import PageReading
from hinterland.crawler.parsing.text_hashes import NO_HASHES, TextHashes

_LENGTH_BYTES = 4
MAX_FRAME_BYTES = 2**32 - 1
OUT_OF_MEMORY = 77
"""With this code a parser process ends that cannot even take what it is sent."""


class ParserConfig(msgspec.Struct, frozen=True, array_like=True):
    """The first frame to a parser process. reader: path of the compiled reader, or "" to read by Python. topic_reader:
    "module:function" that makes, of this config, what reads pages for a topic, "" without one; topic: its classifier;
    reads_links: whether links are read for what they promise; classifier: the name of a topic classifier that is a
    plug-in, and the files, absolute, that it may be in. rules: what to extract, b"" for nothing; hooks: where those
    that are among it come from, files of plug-ins, absolute, and names of installed ones; hook_objects: others
    (plugins/objects.py); extracts_only: pages are read for nothing else. documents: kinds that are read beside HTML.
    timeout_seconds: what a page may take before the process is ended (pool/page_time.py).
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
    topic_reader: str = ""
    topic: bytes = b""
    reads_links: bool = False
    rules: bytes = b""
    hooks: list[str] = []
    extracts_only: bool = False
    documents: list[str] = []
    classifier: list[str] = []
    timeout_seconds: float = math.inf
    hook_objects: bytes = b""


class Greeting(msgspec.Struct, frozen=True, array_like=True):
    """The first frame of a parser process: it is there, under this number."""

    process: int


class EarlierPage(msgspec.Struct, frozen=True, array_like=True):
    """The version of a page that is stored, for comparison: what its body was, and what it said (a zstd frame, or b"").
    keeps_text: whether the text it had is to be kept; lacks_body: whether its body is not.
    """

    body_hash: bytes
    title: str = ""
    text: bytes = b""
    keeps_text: bool = False
    lacks_body: bool = False


class RawPage(msgspec.Struct, frozen=True, array_like=True):
    """A page to parse: its body as sent, and the header fields that say how to read it. interest: an Interest.
    without: numbers of tables, from 1, whose rules are not to be tried again, and why. earlier: if one is stored.
    keeps_body: whether the body is wanted back, where the config says so.
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


class Rendered(msgspec.Struct, frozen=True, array_like=True):
    """How a browser fared with a page. is_done: what the page shows there is what was parsed; if not, it is what the
    server sent. problem: why that is not, or not all, there should be. moved_to: the URL that its scripts lead to, as
    they wrote it. requests: made of the page's own host, the page not counted; seconds: that they took.
    """

    is_done: bool
    problem: str = ""
    moved_to: str = ""
    requests: int = 0
    seconds: float = 0.0


class Comparison(msgspec.Struct, frozen=True, array_like=True):
    """How a page compares with its version before. is_same: not a byte differs, and nothing else was read. share: of
    the words of its content that are new or gone. links: which of its links, by their place, stand in the content and
    lead to something that lasts. before: the text of the version before, see versions; b"" if it is not kept.
    """

    is_same: bool = False
    share: float = 0.0
    links: list[int] = []
    before: bytes = b""


class PageDigest(msgspec.Struct, frozen=True, array_like=True):
    """What became of it. failure: an outcome kind, with its detail, if the page is None.

    body_bytes, body_hash: of the decoded body (SHA-256, first 16 bytes). text, body: zstd frames, if kept.
    said: what of the page's text was of interest. reading: what it and its links say of the topic, if there is one.
    extracted: what rules took out of it, one for each table that wants the page. is_shell: it says nothing without a
    browser, see shell_pages. rendered: if one was asked. comparison: with the version before, if there was one.
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
    reading: PageReading | None = None
    extracted: list[Extracted] = []
    is_shell: bool = False
    rendered: Rendered | None = None
    comparison: Comparison | None = None


def frame(message: msgspec.Struct, encoder: msgspec.msgpack.Encoder) -> bytes:
    """The bytes that carry one message."""
    buffer = bytearray(_LENGTH_BYTES)
    encoder.encode_into(message, buffer, _LENGTH_BYTES)
    buffer[:_LENGTH_BYTES] = (len(buffer) - _LENGTH_BYTES).to_bytes(_LENGTH_BYTES, "big")
    return bytes(buffer)


class FrameReader:
    """Cuts a stream of bytes into the payloads of its frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The payloads that are complete with these bytes."""
        buffer = self._buffer
        buffer += data
        while len(buffer) >= _LENGTH_BYTES:
            end = _LENGTH_BYTES + int.from_bytes(buffer[:_LENGTH_BYTES], "big")
            if len(buffer) < end:
                return
            yield self._cut(end)

    def _cut(self, end: int) -> bytes:
        """Take out the first frame, so that a large one is not held twice while it is looked at."""
        with memoryview(self._buffer) as view:
            payload = bytes(view[_LENGTH_BYTES:end])
        del self._buffer[:end]
        return payload
