"""Content types: HTML that hides behind an odd one, and what says that it is HTML and is not."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile.behaviour import HTML, Behaviour, http, page, raw, said

_BODY: Final = page("typed", ["/good/1"])
_PNG: Final = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 200


def _one(name: str, content_type: str | None, outcome: str = "", body: bytes | str = _BODY) -> Behaviour:
    handler = said(body, content_type=content_type)
    return Behaviour(name, {"/odd": handler}, expected={"/odd": outcome} if outcome else {})


BEHAVIOURS: Final = [
    _one("no-semicolon", "text/html charset=utf-8"),
    _one("twice-in-one", "text/html, text/html; charset=utf-8", "fetched"),
    _one("comma-at-the-end", "text/html,", "fetched"),
    Behaviour("two-fields", {"/odd": said(_BODY, fields=["Content-Type: text/html"])}, expected={"/odd": "fetched"}),
    _one("none", None, "fetched"),
    _one("empty", "", "fetched"),
    _one("capitals", "TEXT/HTML; CHARSET=UTF-8", "fetched"),
    _one("xhtml", "application/xhtml+xml", "fetched"),
    _one("many-semicolons", "text/html;;;; ;charset=utf-8;", "fetched"),
    _one("quotes", 'text/html; charset="utf-8', "fetched"),
    _one("picture", "image/png", "other_type", _PNG),
    _one("picture-as-html", HTML, "unreadable", _PNG),
    _one("any", "*/*"),
    _one("one-word", "html"),
    _one("very-long", "text/html; x=" + "y" * 60_000),
    Behaviour("gigabyte", {"/odd": raw(http("", content_type="video/mp4", length=10**9) + bytes(500_000))},
              expected={"/odd": "other_type"}),
    Behaviour("endless-download", {"/odd": raw(http("", content_type="application/zip", length=10**15))},
              expected={"/odd": "other_type"}),
]  # fmt: skip
