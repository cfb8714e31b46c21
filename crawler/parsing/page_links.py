"""The links of one page: hrefs resolved, each target once, nofollow and anchor text joined to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from selectolax.lexbor import LexborNode

from crawler.parsing.legacy_query import with_encoded_query
from crawler.parsing.parsed_page import LinkKind
from crawler.urls import LinkResolver

MAX_ANCHOR_CHARACTERS: Final = 300

_UNKNOWN: Final = "\0unknown"  # neither a URL nor, for its NUL, an href that a tree could hold
_IMG: Final = "img"


class PageLinks:
    """Collects the links of the page at `url`, whose hrefs are relative to `base`.

    Its state is the link columns of ParsedPage, and `bad`. With `nofollow` the whole page is nofollow.
    """

    def __init__(self, url: str, base: str, charset: str, resolver: LinkResolver, *, nofollow: bool) -> None:
        self.urls: list[str] = []
        self.kinds = bytearray()
        self.nofollow = bytearray()
        self.anchors: list[str] = []
        self.bad = 0
        self._url = url
        self._legacy_charset = None if charset in _UNICODE else charset
        self._resolver = resolver.relative_to(base)
        self._base_target = url if base == url else self._resolver.learn("")  # where an empty href leads
        self._page_nofollow = nofollow
        self._places: defaultdict[int, dict[str, int]] = defaultdict(dict)

    def add_anchors(self, nodes: Iterable[LexborNode]) -> None:
        """Add <a> elements. This is where a page's time goes: per link, not per page."""
        places = self._places[LinkKind.A]
        memory, own_url = self._resolver.memory, self._url
        urls, nofollows, anchors = self.urls, self.nofollow, self.anchors
        page_nofollow = self._page_nofollow
        settled = set[str | None]((None,))  # hrefs that can add nothing more, unless they come with a rel
        for node in nodes:
            attributes = node.attributes
            if "rel" not in attributes:
                written = attributes.get("href", None)
                if written in settled:
                    continue
            elif "href" not in attributes:
                continue
            written = attributes.get("href") or ""
            href = written[: written.index("#")] if "#" in written else written
            target = memory.get(href, _UNKNOWN) if href else self._base_target
            if target is _UNKNOWN:
                target = self._resolve(href)
            if target == own_url:
                settled.add(written)
                continue
            if not target:
                self.bad += target is None
                continue
            rel = attributes.get("rel")
            nofollow = page_nofollow or (rel is not None and _has_nofollow(rel))
            place = places.get(target)
            if place is None:
                place = places[target] = len(urls)
                urls.append(target)
                nofollows.append(nofollow)
                anchors.append(_anchor_text(node))
            else:
                if not nofollow:
                    nofollows[place] = 0
                if not anchors[place]:
                    anchors[place] = _anchor_text(node)
            if anchors[place] and nofollows[place] == page_nofollow:
                settled.add(written)
        self.kinds.extend(bytes((LinkKind.A,)) * (len(urls) - len(self.kinds)))

    def add(self, kind: LinkKind, href: str, *, rel: str | None = None, anchor: str = "") -> str | None:
        """Add one link of another kind; the target, though it may be the page itself, or None if unusable."""
        href = href.partition("#")[0]
        target = self._resolver.memory.get(href, _UNKNOWN) if href else self._base_target
        if target is _UNKNOWN:
            target = self._resolve(href)
        if not target:
            self.bad += target is None
            return None
        if target == self._url:
            return target
        nofollow = self._page_nofollow or (rel is not None and _has_nofollow(rel))
        place = self._places[kind].setdefault(target, len(self.urls))
        if place == len(self.urls):
            self.urls.append(target)
            self.kinds.append(kind)
            self.nofollow.append(nofollow)
            self.anchors.append(anchor)
        else:
            self.nofollow[place] &= nofollow
            self.anchors[place] = self.anchors[place] or anchor
        return target

    def _resolve(self, href: str) -> str | None:
        if self._legacy_charset is not None and not href.isascii():
            href = with_encoded_query(href, self._legacy_charset)
        return self._resolver.learn(href)


_UNICODE: Final = frozenset({"utf-8", "utf-16le", "utf-16be", "replacement"})


def _has_nofollow(rel: str) -> bool:
    return "nofollow" in rel.lower().split()


def _anchor_text(node: LexborNode) -> str:
    """What stands between <a> and </a>; for a link that is but a picture, what stands for the picture."""
    text = " ".join(node.text().split())
    if not text and node.first_child is not None:
        for each in node.traverse():
            if each.tag == _IMG and (alt := each.attributes.get("alt")):
                text = " ".join(alt.split())
                break
    return text[:MAX_ANCHOR_CHARACTERS]
