"""The main loop of a parser process, from the fork to its end.

Hostile bytes may make this process use much memory, loop or crash. The pool (`parsers`) then kills and replaces it, and
only the page is lost.
"""

from __future__ import annotations

import math
import os
import resource
import socket
import sys
from contextlib import suppress

import msgspec

from hinterland.crawler.parsing.compiled.freed_memory import LARGE_BYTES, release_freed_memory
from hinterland.crawler.parsing.messages import OUT_OF_MEMORY, FrameReader, Greeting, RawPage, frame
from hinterland.crawler.parsing.pool.page_digester import PageDigester
from hinterland.crawler.parsing.pool.progress import ParserProgress

_RECEIVE_BYTES = 1 << 18
RawPageDecoder = msgspec.msgpack.Decoder[RawPage]


def work(channel: socket.socket, progress: ParserProgress, digester: PageDigester, max_memory_bytes: int) -> int:
    """Serve requests until the crawl hangs up; return the exit code."""
    resource.setrlimit(resource.RLIMIT_AS, (max_memory_bytes, max_memory_bytes))
    digester.watch_extraction(progress.table_begins)
    if digester.has_hooks:
        silence_standard_output()
    with suppress(BrokenPipeError, ConnectionResetError):  # the crawl has ended, so nobody reads the answer
        try:
            serve(channel, progress, digester, most_resident=resident_bytes() + max_memory_bytes // 4)
        except MemoryError:
            return OUT_OF_MEMORY  # the pool explains the code; a traceback would land in the display
    return 0


def serve(
    channel: socket.socket, progress: ParserProgress, digester: PageDigester, most_resident: float = math.inf
) -> None:
    """Send a greeting, then answer each frame with a frame, in order, until the other side hangs up.

    Frames that arrived together are answered together. With hooks, this function returns once the process has used more
    than `most_resident` bytes, because hooks may hold on to memory that later pages need.
    """
    reader = FrameReader()
    encoder = msgspec.msgpack.Encoder()
    decoder = msgspec.msgpack.Decoder(RawPage)
    channel.sendall(frame(Greeting(os.getpid()), encoder))
    while data := channel.recv(_RECEIVE_BYTES):
        answers = []
        for payload in reader.feed(data):
            progress.page_begins()
            answers.append(answer_to(payload, digester, decoder, encoder))
            if digester.has_hooks and (digester.lacks_memory or resident_bytes() > most_resident):
                channel.sendall(b"".join(answers))
                return
        channel.sendall(b"".join(answers))


def resident_bytes() -> int:
    """Return the peak resident memory of this process in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def silence_standard_output() -> None:
    """Discard standard output, since a library that a hook calls could write into the crawl's own output."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ is not None else 1)
    os.close(nowhere)


def answer_to(
    payload: bytes, digester: PageDigester, decoder: RawPageDecoder, encoder: msgspec.msgpack.Encoder
) -> bytes:
    """Return the frame that answers a page's frame.

    If memory runs out while the page or its digest is copied, the answer says that the page needs too much memory.
    """
    try:
        digest = digester.digest(decoder.decode(payload))
        answer = frame(digest, encoder)
    except MemoryError:
        return frame(digester.needs_more_memory(), encoder)
    has_failed = digest.page is None and not digest.extracted
    if has_failed or max(digest.body_bytes, len(payload), len(answer)) > LARGE_BYTES:
        del digest
        release_freed_memory()
    return answer
