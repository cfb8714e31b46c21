"""Characters that are not in the charset that is claimed, or in none at all."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile.behaviour import Behaviour, page, said

_TEXT: Final = page("Grüße, 漢字, 🕸", ["/good/1", "/good/2?q=é"])


def _one(name: str, body: bytes, charset: str = "", meta: str = "") -> Behaviour:
    content_type = f"text/html; charset={charset}" if charset else "text/html"
    head = f'<meta charset="{meta}">'.encode() if meta else b""
    return Behaviour(name, {"/odd": said(head + body, content_type=content_type)}, expected={"/odd": "fetched"})


_UTF8: Final = _TEXT.encode()

BEHAVIOURS: Final = [
    _one("utf-16-mark", _TEXT.encode("utf-16")),
    _one("utf-16-said", _TEXT.encode("utf-16-le"), "utf-16le"),
    _one("utf-16-odd-length", _TEXT.encode("utf-16-le") + b"x", "utf-16le"),
    _one("utf-32", _TEXT.encode("utf-32"), "utf-32"),
    _one("utf-7", b"+ADw-script+AD4-", "utf-7"),
    _one("shift-jis", page("漢字").encode("shift_jis") + b"\x81", "shift_jis"),
    _one("gb18030", _TEXT.encode("gb18030") + b"\x84\x31", "gb18030"),
    _one("iso-2022-jp", page("漢字").encode("iso2022_jp") + b"\x1b$B", "iso-2022-jp"),
    _one("hz", page("x").encode(), "hz-gb-2312"),
    _one("nonsense", _UTF8, "klingon-1"),
    _one("empty", _UTF8, '""'),
    _one("contradiction", _UTF8, "utf-8", "shift_jis"),
    _one("latin-1-as-utf-8", page("Grüße é ÿ").encode("latin-1"), "utf-8"),
    _one("surrogates", _TEXT.encode() + b"\xed\xa0\x80\xed\xb0\x80", "utf-8"),
    _one("overlong", b"\xc0\xbca href=/x\xc0\xbe" + _UTF8, "utf-8"),
    _one("nuls", _UTF8.replace(b"p", b"\0p"), "utf-8"),
    _one("marks-everywhere", b"\xef\xbb\xbf".join([_UTF8] * 5)),
    _one("user-defined", _UTF8, "x-user-defined"),
    _one("long-label", _UTF8, "u" * 50_000),
    _one("no-text", bytes(range(256)) * 30),
]
