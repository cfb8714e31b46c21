"""Content codings that are wrong, broken, nested or larger than any page."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable
from typing import Final

import brotli

from benchmarks.hostile.behaviour import Behaviour, MadeLate, page, said

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_BODY: Final = page("packed").encode() * 40
_GZIP: Final = gzip.compress(_BODY)
_BOMB: Final = 100_000_000


def _raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


def _nested(times: int) -> bytes:
    body = _BODY
    for _ in range(times):
        body = gzip.compress(body)
    return body


def _one(name: str, body: bytes | Callable[[], bytes], coding: str, outcome: str = "") -> Behaviour:
    """Return a behaviour with this body, or with one made late because it takes long."""
    fields = [f"Content-Encoding: {coding}"]
    handler = MadeLate(lambda: said(body() if callable(body) else body, fields=fields))
    return Behaviour(name, {"/odd": handler}, expected={"/odd": outcome} if outcome else {})


BEHAVIOURS: Final = [
    _one("gzip", _GZIP, "gzip", "fetched"),
    _one("gzip-truncated", _GZIP[:-30], "gzip", "truncated"),
    _one("gzip-corrupt", _GZIP[:60] + b"\0" * 20 + _GZIP[80:], "gzip"),
    _one("gzip-bomb", lambda: gzip.compress(bytes(_BOMB)), "gzip", "too_large"),
    _one("gzip-thrice", _nested(3), "gzip, gzip, gzip", "fetched"),
    _one("gzip-ten-times", _nested(10), ", ".join(["gzip"] * 10), "unknown_encoding"),
    _one("gzip-of-nothing", gzip.compress(b""), "gzip", "fetched"),
    _one("gzip-and-rubbish", _GZIP + b"rubbish" * 9, "gzip", "fetched"),
    _one("gzip-members", gzip.compress(b"x") * 3000, "gzip", "corrupt"),
    _one("not-gzip", _BODY, "gzip", "corrupt"),
    _one("brotli", brotli.compress(_BODY), "br", "fetched"),
    _one("brotli-corrupt", brotli.compress(_BODY)[:-4] + b"\xff" * 4, "br"),
    _one("brotli-bomb", lambda: brotli.compress(bytes(_BOMB), quality=5), "br", "too_large"),
    _one("zstd", zstd.compress(_BODY), "zstd", "fetched"),
    _one("zstd-bomb", lambda: zstd.compress(bytes(_BOMB)), "zstd", "too_large"),
    _one("zstd-window", b"\x28\xb5\x2f\xfd\x04\xa0" + _GZIP, "zstd", "corrupt"),
    _one("deflate", zlib.compress(_BODY), "deflate", "fetched"),
    _one("deflate-raw", _raw_deflate(_BODY), "deflate", "fetched"),
    _one("unknown", brotli.compress(_BODY), "pied-piper", "unknown_encoding"),
    _one("unknown-unpacked", _BODY, "pied-piper", "fetched"),
    _one("charset", _BODY, "UTF-8", "fetched"),
    _one("identity", _BODY, "identity", "fetched"),
    _one("long-name", _BODY, "x" * 60_000, "fetched"),
]
