"""Draws what a path is: pages in many dresses, redirects, files, refusals, and what goes wrong before. Pure."""

from __future__ import annotations

import random
from typing import Final

from benchmarks.crawl_fuzzer.markup import DRESSES, XML_DRESSES
from benchmarks.crawl_fuzzer.odd_answers import ODD_PAGES
from benchmarks.crawl_fuzzer.responses import PATIENCE
from benchmarks.crawl_fuzzer.site import Content, File, Gate, Listing, Page, Redirect, Refusal, Trouble

_WORDS: Final = {
    "en": "harbour ferry lighthouse island tide anchor beacon current drift gale inlet jetty keel lantern",
    "de": "Hafen Fähre Leuchtturm Insel Flut Anker Straße Größe Übung Möwe Strömung Kiel Laterne Küste Öl",
    "fr": "port bateau phare île marée ancre été forêt cœur où garçon naïve goéland quai voilier",
    "ru": "гавань паром маяк остров прилив якорь чайка причал волна ветер парус берег шторм море",
    "ja": "港 船 灯台 島 潮 錨 海 波 風 帆 岸 嵐 霧 鴎 浜",
    "ar": "ميناء عبارة منارة جزيرة مد مرساة بحر موج ريح شراع شاطئ عاصفة ضباب نورس رمل",
}
_CHARSETS: Final = {
    "en": ("us-ascii", "windows-1252", "iso-8859-1"),
    "de": ("windows-1252", "iso-8859-1"),
    "fr": ("windows-1252", "iso-8859-15"),
    "ru": ("windows-1251", "koi8-r"),
    "ja": ("shift_jis", "euc-jp"),
    "ar": ("windows-1256", "utf-8"),
}
_CODINGS: Final = (
    (), (), (), (), ("gzip",), ("gzip",), ("br",), ("zstd",), ("deflate",), ("gzip", "gzip"), ("gzip", "br"),
    ("x-gzip",),
    ("GZIP",), ("identity",), ("identity", "+gzip"), ("gzip", "+br"), ("utf-8",), ("none",), ("",), ("text/html",),
)  # fmt: skip
_TYPES: Final = (
    None, "", "text/html", "TEXT/HTML; CHARSET={}", 'text/html; charset="{}"', "text/html;charset={}; x=y",
    "text/html;",
    "text/html; charset={}; charset=utf-8",
)  # fmt: skip
_FIELDS: Final = (
    b"X-Odd: \xff\xfe", b"Set-Cookie: a=b; Path=/", b"Set-Cookie: a=b; Expires=never; Domain=.test", b"Vary: *",
    b"Content-Language: de, fr", b"Cache-Control: no-store", b"Retry-After: 10", b"Location: /nowhere", b"X-Empty:",
    b"Content-Location: /elsewhere", b"Strict-Transport-Security: max-age=1", b"Date: yesterday", b"Age: -1",
    b"Last-Modified: never", b"Content-Disposition: attachment; filename=x.html", b"Trailer: X",
    b"Content-Security-Policy: sandbox", b"Server: \xe9", b"Alt-Svc: h3=\":443\"", b"Keep-Alive: timeout=0",
    b"X-Robots-Tag: otherbot: nofollow", b"X-Robots-Tag: max-snippet:-1", b"Link: <>; rel=next", b"Link: nonsense",
)  # fmt: skip
_FILES: Final = (
    ("image/png", b"\x89PNG\r\n\x1a\n" + bytes(200)), ("application/pdf", b"%PDF-1.4\n%%EOF"), ("text/css", b"a{}"),
    ("application/json", b'{"a": "/p1"}'), ("video/mp4", bytes(2000)), ("application/octet-stream", b"\0\1\2"),
    ("application/javascript", b"x()"), ("image/svg+xml", b"<svg/>"), ("x/y; z", b""),
    ("font/woff2", b"wOF2"), ("audio/mpeg", b"ID3"), ("multipart/form-data", b"--"), ("text/calendar", b"BEGIN"),
)  # fmt: skip
_STATUSES: Final = (400, 401, 403, 404, 404, 410, 418, 451)


def drawn_page(draw: random.Random, *, is_plain: bool = False) -> Page:
    """Draw a page without links; a plain one is in UTF-8 and sent as by most servers."""
    language = draw.choice(list(_WORDS))
    words = " ".join(draw.choices(_WORDS[language].split(), k=draw.randint(20, 60)))
    words += f" {draw.getrandbits(40):x}"
    title = " ".join(draw.choices(_WORDS[language].split(), k=3))
    if is_plain:
        return Page(title, words, language)
    dress = draw.choice(DRESSES) if draw.random() < 0.5 else "html"
    charset, content_type = "utf-8", draw.choice(("text/html; charset=utf-8", "text/html; charset=utf-8", *_TYPES))
    if dress in XML_DRESSES:
        content_type = "application/xhtml+xml"
    elif draw.random() < 0.2:
        charset = draw.choice((*_CHARSETS[language], "utf-16", "utf-8-sig"))
        content_type = f"text/html; charset={charset}" if charset not in ("utf-16", "utf-8-sig") else "text/html"
    if content_type is not None:
        content_type = content_type.format(charset)
    return Page(
        title,
        words,
        language,
        base=draw.choice(("/", "/x/y/", "sub/", "../", "?", "//other.test/")) if draw.random() < 0.13 else "",
        dress=dress,
        directives=draw.choice(("noindex", "nofollow", "none", "index, follow", "max-snippet:5")) if draw.random() < 0.1
        else "",
        directives_field=draw.choice(("noindex", "nofollow", "all")) if draw.random() < 0.06 else "",
        content_type=content_type,
        charset=charset,
        codings=draw.choice(_CODINGS),
        framing=draw.choice(("length", "length", "chunked", "close")),
        validator=draw.choice(("", "", "etag", "weak", "bare", "modified", "star")),
        odd_fields=draw.sample(_FIELDS, k=draw.choice((0, 0, 0, 1, 3))),
    )  # fmt: skip


def drawn_content(draw: random.Random, oddness: float) -> Content:
    """Most of them pages. Redirects are drawn without their target."""
    if draw.random() < oddness / 3:
        return draw.choice(ODD_PAGES)
    kind = draw.random()
    if kind < 0.72:
        return drawn_page(draw)
    if kind < 0.82:
        return Redirect(draw.choice((301, 302, 303, 307, 308)), "", None)
    if kind < 0.88:
        return Refusal(draw.choice(_STATUSES))
    if kind < 0.93:
        return File(*draw.choice(_FILES))
    if kind < 0.95:
        return Gate(drawn_page(draw, is_plain=True))
    if kind < 0.97:
        return Listing("text/plain; charset=utf-8", "See http://a.test:8088/p1 and <http://a.test:8088/p2>, /p3.")
    return Listing(draw.choice(("application/rss+xml", "application/atom+xml")), "<rss><channel/></rss>")


def drawn_trouble(draw: random.Random) -> Trouble:
    """Half of the time one that passes."""
    kind = draw.choice([each for each in PATIENCE if each != "silent" or draw.random() < 0.2])
    times = draw.randint(1, PATIENCE[kind]) if draw.random() < 0.6 else -1
    return Trouble(kind, times)
