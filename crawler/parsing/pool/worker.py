"""A parser process: `python -m crawler.parsing.pool.worker FD`, talking over the inherited socket FD.

All that hostile bytes can do, they do here: inflate, loop, crash. The pool (`parsers`) kills and replaces
the process; the page is the only loss.
"""

from __future__ import annotations

import gc
import hashlib
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from crawler.fetching.decoding import (
    ContentDecodingError,
    ContentTooLarge,
    ContentTruncated,
    UnknownContentEncoding,
    decode_content,
    zstd,
)
from crawler.fetching.outcomes import OutcomeKind
from crawler.parsing.compiled.freed_memory import LARGE_BYTES, give_back_freed_memory
from crawler.parsing.html.page import parse_page
from crawler.parsing.html.page_elements import ElementsReader, read_elements
from crawler.parsing.messages import OUT_OF_MEMORY, FrameReader, PageDigest, ParserConfig, RawPage, frame
from crawler.parsing.text_hashes import said
from crawler.urls.canonical import Canonicaliser
from crawler.urls.resolving import LinkResolver

_ZSTD_LEVEL = 1  # level 3 takes a third more time to save a twentieth of the bytes
_RECEIVE_BYTES = 1 << 18
RawPageDecoder = msgspec.msgpack.Decoder[RawPage]
_REMEMBERED_HREFS = 50_000  # at 100,000 instead, 19 and not 24 look-ups a page missed


class PageDigester:
    """RawPage in, PageDigest out."""

    def __init__(self, config: ParserConfig) -> None:
        self._config = config
        self._zstd = zstd.ZstdCompressor(level=_ZSTD_LEVEL)
        self._resolver = LinkResolver(
            Canonicaliser(
                max_length=config.max_url_length,
                sort_parameters=config.sort_parameters,
                drop_parameters=config.drop_parameters,
            ),
            max_entries=_REMEMBERED_HREFS,
        )
        self._read = _elements_reader(config.reader)

    def digest(self, raw: RawPage) -> PageDigest:
        try:
            return self._digest(raw)
        except ContentDecodingError as error:
            return PageDigest(failure=_kind_of(error), detail=str(error))
        except MemoryError:
            return self.needs_more_memory()

    def needs_more_memory(self) -> PageDigest:
        limit = self._config.max_memory_bytes >> 20
        return PageDigest(failure=OutcomeKind.PARSER_CRASH, detail=f"needs more than {limit} MiB to parse")

    def _digest(self, raw: RawPage) -> PageDigest:
        config = self._config
        body = decode_content(raw.body, raw.content_encoding, config.max_body_bytes)
        page, content = parse_page(
            body,
            url=raw.url,
            content_type=raw.content_type,
            resolver=self._resolver,
            agent=config.agent,
            max_links=config.max_links,
            max_text_bytes=config.max_body_bytes,
            max_tree_bytes=config.max_tree_bytes,
            robots_header=raw.robots_tags,
            link_header=raw.link_fields,
            with_text=config.keep_text or raw.interest > 0,
            read=self._read,
        )
        return PageDigest(
            page=page,
            body_bytes=len(body),
            body_hash=hashlib.sha256(body).digest()[:16],
            text=self._compressed(content.text) if config.keep_text else None,
            headings=msgspec.json.encode(content.headings).decode() if config.keep_text else "[]",
            body=self._compressed(body) if config.keep_bodies else None,
            said=said(content.text, body, raw.interest),
        )

    def _compressed(self, data: bytes) -> bytes:
        """One zstd frame; a compressor that is kept saves setting up its tables for every page."""
        return self._zstd.compress(data, zstd.ZstdCompressor.FLUSH_FRAME)


def _elements_reader(path: str) -> ElementsReader:
    if not path:
        return read_elements
    from crawler.parsing.compiled.element_reader import CompiledReader

    try:
        return CompiledReader(Path(path))
    except (OSError, AttributeError):  # deleted, or selectolax replaced, since the crawl began
        return read_elements


def _kind_of(error: ContentDecodingError) -> OutcomeKind:
    match error:
        case ContentTooLarge():
            return OutcomeKind.TOO_LARGE
        case ContentTruncated():
            return OutcomeKind.TRUNCATED
        case UnknownContentEncoding():
            return OutcomeKind.UNKNOWN_ENCODING
        case _:
            return OutcomeKind.CORRUPT


def answer_to(
    payload: bytes, digester: PageDigester, decoder: RawPageDecoder, encoder: msgspec.msgpack.Encoder
) -> bytes:
    """The frame that answers a page's; memory may also run out where the page, or what came of it, is copied."""
    try:
        digest = digester.digest(decoder.decode(payload))
        answer = frame(digest, encoder)
    except MemoryError:
        return frame(digester.needs_more_memory(), encoder)
    if digest.page is None or max(digest.body_bytes, len(payload), len(answer)) > LARGE_BYTES:
        del digest
        give_back_freed_memory()
    return answer


def serve(channel: socket.socket) -> None:
    """Answer every frame with one, in order, until the other side hangs up.

    Frames that have come together are answered together. The answer to the first, the ParserConfig, is an
    empty PageDigest: ready.
    """
    reader = FrameReader()
    encoder = msgspec.msgpack.Encoder()
    decoder = msgspec.msgpack.Decoder(RawPage)
    digester: PageDigester | None = None
    while data := channel.recv(_RECEIVE_BYTES):
        answers = []
        for payload in reader.feed(data):
            if digester is None:
                config = msgspec.msgpack.decode(payload, type=ParserConfig)
                resource.setrlimit(resource.RLIMIT_AS, (config.max_memory_bytes, config.max_memory_bytes))
                digester = PageDigester(config)
                gc.freeze()
                answers.append(frame(PageDigest(), encoder))
            else:
                answers.append(answer_to(payload, digester, decoder, encoder))
        channel.sendall(b"".join(answers))


def _yield_to_the_crawl() -> None:
    """Let the crawl's main process, should it share our core, finish what it is doing when it sends a page."""
    if hasattr(os, "SCHED_BATCH"):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the crawl decides
    _yield_to_the_crawl()
    gc.set_threshold(200_000, 50, 100)
    # Once the crawl is gone, nobody is left to tell.
    with socket.socket(fileno=int(sys.argv[1])) as channel, suppress(BrokenPipeError, ConnectionResetError):
        try:
            serve(channel)
        except MemoryError:
            sys.exit(OUT_OF_MEMORY)  # the pool says what that means; a traceback would land in the display


if __name__ == "__main__":
    main()
