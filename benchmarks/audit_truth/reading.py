"""Reads a page by Python's html.parser, which shares no code with the crawler.

It builds no tree, so pages whose markup is broken may differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final

_HIDDEN: Final = ("script", "style", "template", "svg", "noscript", "textarea")
_HEADING: Final = re.compile(r"h[1-6]")
_CSS_URL: Final = re.compile(r"""((?:@import\s+)?url\(\s*|@import\s+)(?:"([^"]*)"|'([^']*)'|([^'")\s;]+))""")
_OTHERS: Final = (".css", ".woff", ".woff2", ".ttf", ".eot", ".otf")
"""What style sheets load that is no image."""
_FONT_FACE: Final = re.compile(r"@font-face\s*\{[^}]*\}")
_CSS_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_PROGRAM: Final = re.compile(r"(?:|module|(?:text|application)/(?:x-)?(?:java|ecma)script)")
_REFRESH: Final = re.compile(r"url\s*=\s*(.*)", re.IGNORECASE)
_ICONS: Final = {"icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"}
_LOADED: Final = {
    **{(tag, "src"): "other" for tag in ("audio", "source", "track", "video")},
    ("video", "poster"): "image",
    ("img", "src"): "image",
    ("body", "background"): "image",
}


class ReadPage(HTMLParser):
    """What a page says. Mutable while it is fed.

    `links` are hrefs that lead visitors on, as written, `loaded` what the page loads, with "image" or "other", and
    `alternates` the translations, with their codes. `headings` are levels with texts.
    """

    def __init__(self, markup: str) -> None:
        """Read a page."""
        super().__init__(convert_charrefs=True)
        self.title: str | None = None
        self.description = self.language = self.base = ""
        self.headings: list[tuple[int, str]] = []
        self.bare_images = 0
        self.has_viewport = self.is_noindex = self.has_bad_data = False
        self.canonicals: list[str] = []
        self.alternates: list[tuple[str, str]] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[tuple[str, str]] = []
        self._inside: list[str] = []
        self._script = ""
        self._text: list[str] = []
        self._level: int | None = None
        """Of the open heading; 0 is the title."""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element says; of a repeated attribute, the first one counts."""
        given = {name: value or "" for name, value in reversed(attrs)}
        if tag in _HIDDEN:
            self._inside.append(tag)
        if tag == "html":
            self.language = self.language or (given.get("lang") or given.get("xml:lang") or "").strip()
        if tag == "base" and "href" in given and not self.base:
            self.base = given["href"]
        self.ids |= {given[name] for name in ("id", *(("name",) if tag == "a" else ())) if name in given}
        if tag == "meta":
            self._meta(given)
        if tag == "link":
            self._link(given)
        if tag == "img" and given.get("role") not in ("presentation", "none") and given.get("aria-hidden") != "true":
            self.bare_images += "alt" not in given
        if tag in ("a", "area") and "href" in given and "svg" not in self._inside:
            self.links.append(given["href"])
        if tag in ("frame", "iframe") and given.get("src"):
            self.links.append(given["src"])
        self.loaded += _loaded(tag, given)
        if tag == "script":
            self._script = given.get("type", "").strip().lower()
            self._text = []
        if tag == "style":
            self._text = []
        if tag == "title" and self.title is None and not self._inside:
            self._level, self._text = 0, []
        if _HEADING.fullmatch(tag):
            self._end_heading()  # a heading inside another one is rare, and its text then belongs to both
            self._level, self._text = int(tag[1]), []

    def _meta(self, given: dict[str, str]) -> None:
        name, content = given.get("name", "").strip().lower(), given.get("content", "")
        if name == "description" and not self.description:
            self.description = " ".join(content.split())
        self.has_viewport |= given.get("name", "").lower() == "viewport"
        words = set(re.split(r"[\s,]+", content.lower()))
        self.is_noindex |= name == "robots" and bool(words & {"noindex", "none"})
        if given.get("http-equiv", "").lower() == "refresh" and (
            found := re.search(r"url\s*=\s*(.*)", content, re.IGNORECASE)
        ):
            self.links.append(found[1].strip("\"' "))
        if given.get("http-equiv", "").lower() == "content-language" and "," not in content:
            self.language = self.language or content.strip()

    def _link(self, given: dict[str, str]) -> None:
        relations, href = set(given.get("rel", "").lower().split()), given.get("href", "")
        if "canonical" in relations and "href" in given:
            self.canonicals.append(href)
        if "alternate" in relations and "hreflang" in given and href:
            self.alternates.append((given["hreflang"].strip(), href))
        if href and "stylesheet" in relations:
            self.loaded.append(("other", href))
        elif href and relations & _ICONS:
            self.loaded.append(("image", href))
        elif href and "preload" in relations and given.get("as", "").lower() in ("font", "style", "script"):
            self.loaded.append(("other", href))

    def handle_endtag(self, tag: str) -> None:
        """Note what an element contained."""
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()
        if tag == "script" and self._script == "application/ld+json":
            self.has_bad_data |= not _is_json("".join(self._text))
        if tag == "style":
            self.loaded += css_files("".join(self._text))
        if (tag == "title" and self._level == 0) or (_HEADING.fullmatch(tag) and self._level):
            self._end_heading()  # the end of a heading of any level ends the open one (HTML Standard, 13.2.6.4.7)

    def _end_heading(self) -> None:
        text = " ".join("".join(self._text).split())
        if self._level == 0:
            self.title = text
        elif self._level:
            self.headings.append((self._level, text))
        self._level = None

    def handle_data(self, data: str) -> None:
        """Gather text."""
        if self._level is not None or (self._inside and self._inside[-1] in ("script", "style")):
            self._text.append(data)


def css_files(css: str) -> Iterator[tuple[str, str]]:
    """Yield what a style sheet loads, "image" or "other" and the URL as written."""
    plain = _CSS_COMMENT.sub("", css)
    faces = [face.span() for face in _FONT_FACE.finditer(plain)]
    for found in _CSS_URL.finditer(plain):
        url = next((each for each in found.groups()[1:] if each), "").strip()
        if url and not url.startswith(("data:", "#")):
            path = url.partition("?")[0].partition("#")[0]
            is_font = any(start < found.start() < end for start, end in faces)
            is_other = is_font or found[1].startswith("@") or path.endswith(_OTHERS)
            yield "other" if is_other else "image", url


def _loaded(tag: str, given: dict[str, str]) -> Iterator[tuple[str, str]]:
    for (element, attribute), kind in _LOADED.items():
        if element == tag and given.get(attribute):
            yield kind, given[attribute]
    if tag == "script" and given.get("src") and _PROGRAM.fullmatch(given.get("type", "").strip().lower()):
        yield "other", given["src"]
    if tag == "input" and given.get("type", "").lower() == "image" and given.get("src"):
        yield "image", given["src"]
    if tag in ("img", "source"):
        for candidate in given.get("srcset", "").split(","):
            if url := candidate.strip().partition(" ")[0]:
                yield "image", url
    yield from css_files(given.get("style", ""))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
