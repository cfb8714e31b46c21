"""Paths that are hard on a crawler, and the many ways in which a page may write the address of one. Pure."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

from hinterland.crawler.urls.canonical import Canonicaliser

HARD_NAMES: Final = (
    "a b", "%2e%2e", "..%2f", "%2F", "%00", "%", "%zz", "%C3%A9", "é", "日本", "Ünïcödé", "a;b=c", "a;sid=1", "a,b",
    "~u", "%7Eu", "a+b", "a%2Bb", "a=b", "a:b", "@a", "!$&'()*", "[x]", "{x}", "a|b", "a^b", "a`b", 'a"b', "<b>",
    "a\\b", "a'b", "..", "...", ".hidden", "a.", "index.html", "INDEX.HTML", "a.php", "a.pdf", "a.html.gz",
    "robots.txt", "sitemap.xml", "-", "_", "0", "00", "1e9", "2026-11-26", "de", "xn--e1afmkfd", "\u202e", "\u200b",
    "\U0001f577", "e\u0301", "null", "undefined", "None", "true", "*", "**", "$", "^", "a$", "(?:a)", "x" * 240,
    "%F0%9F%95%B7", "%FF%FE", "%c3", "&amp;", "&", "&lt", "&copy=1", "a&reg", "#", "%23", "?", "%3F", "%20", "%09",
    "%0A", "%0D%0A", "\ufeff", "\ufffd",
)  # fmt: skip
"""Segments of paths."""
HARD_QUERIES: Final = (
    "", "q", "q=", "=q", "&", "&&", "q=1&q=1", "q=1&&q=2", "b=2&a=1", "a=1&b=2", "q=a b", "q=é", "q=%E9", "q=日本",
    "q=%", "q=a+b", "q=a%20b", "q=%26", "q=http://a.test/", "q[]=1&q[]=2", "q=1;r=2", "?", "??", "q=?", "q=/../",
    "page=1", "sid=0123456789abcdef", "utm_source=x", "utm_source=x&q=1", "q=1&PHPSESSID=abc", "q=" + "y" * 600,
    "q='\"<>", "q=%00", "copy=1&reg=2", "lang=de", "action=edit&redlink=1",
)  # fmt: skip
_REPEATING: Final = ("a", "b", "news", "1", "..%2f")


def hard_path(draw: random.Random, parent: str) -> str:
    """Return a path, perhaps with a query, below that of another page or anywhere."""
    folder = parent.partition("?")[0].rpartition("/")[0]
    kind = draw.random()
    if kind < 0.15:
        names = [*draw.choices(_REPEATING, k=draw.randint(3, 12)), "p"]
        folder = "" if draw.random() < 0.5 else folder
    elif kind < 0.25:
        names = [draw.choice(HARD_NAMES), "", draw.choice(HARD_NAMES)]
    else:
        names = draw.choices(HARD_NAMES, k=draw.randint(1, 2))
    path = f"{folder}/" + "/".join(names) + ("/" if draw.random() < 0.2 else "")
    query = draw.choice(HARD_QUERIES) if draw.random() < 0.4 else ""
    return path + (f"?{query}" if query else "")


class Hrefs:
    """Writes addresses in ways that all mean the same."""

    def __init__(self, canonicaliser: Canonicaliser, draw: random.Random) -> None:
        """Write hrefs that `canonicaliser` resolves, drawn from `draw`."""
        self._canonical = canonicaliser.canonical
        self._draw = draw

    def written(self, url: str, base: str, *, ascii_only: bool = False) -> str:
        """Return an href that leads from a page with this base to a canonical URL."""
        ways = list(_ways(url, base))
        href = self._draw.choice(ways)
        for change in self._draw.sample(_CHANGES, k=self._draw.choice((0, 0, 1, 1, 2))):
            changed = change(href)
            if self._canonical(changed, base) == url and (changed.isascii() or not ascii_only):
                href = changed
        return href if self._canonical(href, base) == url else url


def _ways(url: str, base: str) -> Iterator[str]:
    to, here = urlsplit(url), urlsplit(base)
    yield url
    yield url.partition(":")[2]
    if to.netloc != here.netloc:
        return
    target = url.partition("://")[2].partition("/")[2]
    yield "/" + target
    yield "/./" + target
    yield "/none/../" + target
    folder = here.path.rpartition("/")[0].split("/")[1:]
    wanted = ("/" + target).split("/")[1:]
    common = 0
    while common < min(len(folder), len(wanted) - 1) and folder[common] == wanted[common]:
        common += 1
    relative = "../" * (len(folder) - common) + "/".join(wanted[common:])
    yield relative
    yield "./" + relative
    if to.path == here.path and to.query:
        yield "?" + target.partition("?")[2]


def _recoded(href: str) -> str:
    """Write an unreserved letter of the path as an escape."""
    place = href.rfind("p")
    return href if place < 0 else f"{href[:place]}%70{href[place + 1 :]}"


_CHANGES: Sequence[Callable[[str], str]] = (
    lambda href: f" {href} ",
    lambda href: f"\n\t{href}\r\n",
    lambda href: href + "#top",
    lambda href: href + "#",
    lambda href: href + "#a?b/c é",
    lambda href: href.replace("http:", "HTTP:"),
    lambda href: href.replace(".test", ".TEST"),
    lambda href: href[: len(href) // 2] + "\n" + href[len(href) // 2 :],
    lambda href: href.replace("/", "\\"),
    lambda href: href.replace("//", "//user:secret@", 1),
    lambda href: href.replace("http://", "http:/", 1),
    lambda href: href.replace("http://", "http:////", 1),
    _recoded,
    lambda href: href.replace("%C3%A9", "é"),
    lambda href: href.replace("%E6%97%A5", "日"),
    lambda href: href.replace("%20", " "),
    lambda href: href + ("&utm_source=x" if "?" in href else "?utm_source=x"),
    lambda href: href + ("" if "?" in href else "?"),
    lambda href: href.replace("/", "/./", 1),
    lambda href: href.replace(".test:", "。test:"),
)

JUNK: Final = (
    "", "#", "#top", "javascript:void(0)", "JavaScript:alert(1)", "mailto:a@b.test", "tel:+1",
    "data:text/html,<a href=/x>", "ftp://a.test/x", "file:///etc/passwd", "http://", "http://[::1/", "http://a b/",
    "http://%00/", "//", "///", "http://.", "http://..test/", "blob:http://a.test/1", "about:blank",
    "view-source:http://a.test/", "http://a.test:99999/", "http:", "\x00", "http://-/", "ws://a.test/", "x" * 3000,
    "http://a.test:0/",
)  # fmt: skip
"""Hrefs that lead nowhere, or nowhere near."""
FAR: Final = ("http://10.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest/", "http://0/", "http://far.example/")
"""Outside the domain, so never to be asked for."""
