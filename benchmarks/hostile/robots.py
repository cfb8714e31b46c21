"""robots.txt that is missing, broken, endless or redirected."""

from __future__ import annotations

import gzip
from typing import Final

from benchmarks.hostile.behaviour import OK, Behaviour, Handler, MadeLate, at_first, http, raw, said, slowly

_ALL: Final = "User-agent: *\nDisallow:\n"
_ODD: Final = {"/odd": OK}


def _text(body: bytes | str, status: str = "200 OK", *fields: str) -> Handler:
    return said(body, status, fields, content_type="text/plain")


def _rules(*lines: str) -> str:
    return "\n".join(["User-agent: *", *lines, ""])


_GOOD_LATER: Final = _text(_ALL)
_WILD: Final = _rules(*(f"Disallow: /*a{n}*b" for n in range(25_000)))


def _bomb() -> Handler:
    return _text(gzip.compress(b"#" * 60_000_000), "200 OK", "Content-Encoding: gzip")


BEHAVIOURS: Final = [
    Behaviour("missing", _ODD),
    Behaviour("forbidden-403", _ODD, _text("no", "403 Forbidden")),
    Behaviour("error-500-twice", _ODD, at_first(2, _text("", "500 Oops"), _GOOD_LATER)),
    Behaviour("throttled-503", _ODD, at_first(1, _text("", "503 Busy", "Retry-After: 1"), _GOOD_LATER)),
    Behaviour("throttled-429", _ODD, at_first(1, _text("", "429 Slow down", "Retry-After: 1"), _GOOD_LATER)),
    Behaviour("redirect-loop", _ODD, said("", "302 Found", ["Location: /robots.txt"])),
    Behaviour(
        "moved", {**_ODD, "/real.txt": _text(_rules("Disallow: /no")), "/no": OK},
        said("", "301 Moved", ["Location: /real.txt"]), links=["/odd", "/no"], forbidden=["/no"],
    ),
    Behaviour("three-megabytes", _ODD, _text("#" + "x" * 3_000_000)),
    Behaviour("rubbish", _ODD, _text(bytes(range(256)) * 400)),
    Behaviour("bomb", {}, MadeLate(_bomb), good=0),
    Behaviour("wildcards", {"/" + "a1" * 900: OK}, _text(_WILD)),
    Behaviour("nothing-allowed", {}, _text(_rules("Disallow: /")), good=0, forbidden=["/", "/good/1"]),
    Behaviour("old-line-ends", {"/no": OK}, _text(b"\xef\xbb\xbfUser-agent: *\rDisallow: /no\r"), forbidden=["/no"]),
    Behaviour("endless-delay", _ODD, at_first(1, _text(_rules("Crawl-delay: nan", "Crawl-delay: -1")), _GOOD_LATER)),
    Behaviour("html", _ODD, said("<html><title>Welcome</title><p>Disallow: /")),
    Behaviour("dribble", _ODD, slowly([http(_ALL)[n : n + 12] for n in range(0, len(http(_ALL)), 12)], 0.1)),
    Behaviour("truncated-once", _ODD, at_first(1, raw(http(_ALL, length=999), close=True), _GOOD_LATER)),
    Behaviour("not-gzip-once", _ODD, at_first(1, _text(_ALL, "200 OK", "Content-Encoding: gzip"), _GOOD_LATER)),
    Behaviour("sitemaps", _ODD, _text("Sitemap: http://é.example/" + "s" * 40 + "\nSitemap: /x\n" * 38_000)),
    Behaviour("for-others", _ODD, _text("User-agent: other\nDisallow: /\n\n" + _ALL)),
    Behaviour("some-forbidden", {"/no": OK, "/no/1": OK, "/yes": OK}, _text(_rules("Disallow: /no")),
              forbidden=["/no", "/no/1"]),
]  # fmt: skip
