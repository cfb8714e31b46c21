"""A site without a fault, with much that may be taken for one. Pure."""

from __future__ import annotations

import random
from typing import Final

from benchmarks.injected_faults.site import KEPT, FaultySite, Reply, SitePage
from benchmarks.injected_faults.texts import english, word

_IN_SECTION: Final = 12
_SENTENCES: Final = 20
_STYLE: Final = """
@font-face { font-family: x; src: url(/files/font.woff2) }
body { background: url("/files/back.png") } .none { background: url(data:image/png;base64,AA==) }
"""
_INNOCENT: Final = """
<a href="#part">down</a><p id="part">A part</p><a href="#top">up</a><a href="#/a/route">a state of a script</a>
<a href="#caf%C3%A9">coffee</a><p id="café">Coffee</p><a href="#:~:text=A%20part">a text</a>
<a href="mailto:nobody@example.org">mail</a><a href="javascript:void(0)">script</a><a href="tel:+1555">call</a>
<img src="/files/a.png" alt="A drawing"><img src="/files/a.png" alt=""><img src="/files/b.png" role="presentation">
<img srcset="/files/a.png 1x, /files/b.png 2x" alt="Another"><video poster="/files/a.png" src="/files/film.mp4"></video>
"""
"""What a careless check would take for faults."""


def clean_site(home: str, secure: str, outside: str, pages: int, dice: random.Random) -> FaultySite:
    """Return a site of about this number of pages: sections, each with its index; a tenth has a translation.

    Each page is linked from its index and from four others of its section.
    """
    site = FaultySite(home, secure, outside)
    for host in (home, secure):
        for name in ("a.png", "b.png", "back.png", "favicon.ico"):
            path = "/favicon.ico" if name == "favicon.ico" else f"/files/{name}"
            site.replies[f"{host}{path}"] = Reply(200, b"\x89PNG" + bytes(500), "image/png", KEPT)
        site.replies[f"{host}/files/style.css"] = Reply(200, _STYLE.encode(), "text/css", KEPT)
        site.replies[f"{host}/files/script.js"] = Reply(200, b"void 0", "text/javascript", KEPT)
        site.replies[f"{host}/files/font.woff2"] = Reply(200, bytes(500), "font/woff2", KEPT)
        site.replies[f"{host}/files/film.mp4"] = Reply(200, bytes(500), "video/mp4", KEPT)
    site.replies[f"{outside}/fine"] = Reply(200, b"<title>Fine</title>")
    sections = max(2, pages // (_IN_SECTION + 1))
    indexes = [
        [f"{host}/s{number}/" for number in range(sections) if (number % 4 == 3) == (host == secure)]
        for host in (home, secure)
    ]
    for host, own in zip((home, secure), indexes, strict=True):
        site.add(_page(f"{host}/", "Home", dice)).links = [*indexes[0], *indexes[1], f"{outside}/fine"]
        for index in own:
            _section(site, index, [f"{host}/", *indexes[0][:2]], dice)
    return site


def _section(site: FaultySite, index: str, above: list[str], dice: random.Random) -> None:
    urls = [f"{index}p{number}" for number in range(_IN_SECTION)]
    site.add(_page(index, "Index", dice)).links = [*above, *urls]
    for place, url in enumerate(urls):
        page = site.add(_page(url, "Page", dice))
        page.links = [*above, index, *(urls[(place + step) % len(urls)] for step in (-2, -1, 1, 2))]
    english_one, other = site.pages[urls[0]], site.pages[urls[1]]
    names = [("en", english_one.url), ("fr-CA", other.url), ("x-default", english_one.url)]
    for page in (english_one, other):
        page.heads += [f'<link rel=alternate hreflang="{code}" href="{url}">' for code, url in names]


def _page(url: str, kind: str, dice: random.Random) -> SitePage:
    name = f"{word(dice)} {word(dice)} {url.rpartition('/')[2]}"
    heads = [
        '<link rel=stylesheet href="/files/style.css"><script src="/files/script.js"></script>',
        '<link rel=icon href="/favicon.ico">',
        '<script type="application/ld+json">{"@type": "Thing"}</script>',
    ]
    return SitePage(
        url,
        f"{kind} about {name}",
        f"What is known of {name}, by those who were there.",
        english(dice, _SENTENCES),
        [(1, f"{kind} {name}"), (2, "Before"), (3, "Long before"), (2, "After")],
        canonical=url,
        heads=heads,
        bodies=[_INNOCENT],
    )
