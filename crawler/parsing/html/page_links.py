"""Collects the links of one page, with resolved and deduplicated targets, nofollow and anchor text."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from hinterland.crawler.parsing.html.legacy_query import with_encoded_query
from hinterland.crawler.parsing.html.page_bounds import MAX_ANCHOR_CHARACTERS, MAX_CHARACTERS_OF_ANCHORS, Truncations
from hinterland.crawler.parsing.html.page_elements import PageElements
from hinterland.crawler.parsing.html.parsed_page import LinkKind
from hinterland.crawler.urls.resolving import LinkResolver, without_fragment

_UNKNOWN: Final = "\0unknown"  # not a URL and, because of its NUL, not an href that a tree could hold


class PageLinks:
    """Collects the links of the page at `url`, whose hrefs resolve against `base`.

    It holds the link columns of ParsedPage. With `nofollow` all links of the page are nofollow. If there are more than
    `max_links` links, the first ones are kept and, in any case, the first canonical link and the first refresh.
    """

    def __init__(
        self, url: str, base: str, charset: str, resolver: LinkResolver, *, nofollow: bool, max_links: int
    ) -> None:
        """Start without links; `charset` is the page's encoding."""
        self.urls: list[str] = []
        self.kinds = bytearray()
        self.nofollow = bytearray()
        self.anchors: list[str] = []
        self._bad: set[str] = set()
        self._left_out: set[str] = set()
        self._max_links = max_links
        self._url = url
        self._legacy_charset = None if charset in _UNICODE else charset
        self._resolver = resolver.relative_to(base)
        self._base_target = url if base == url else self._resolver.learn("")  # the target of an empty href
        self._page_nofollow = nofollow
        self._places: defaultdict[int, dict[str, int]] = defaultdict(dict)

    def add_anchors(self, elements: PageElements) -> None:
        """Add the links of <a> elements. This takes most of the time for a page."""
        places = self._places[LinkKind.A]
        memory, own_url = self._resolver.memory, self._url
        urls, nofollows, anchors = self.urls, self.nofollow, self.anchors
        page_nofollow, max_links = self._page_nofollow, self._max_links
        columns = elements.hrefs, elements.nofollow, elements.anchor_texts
        for href, is_nofollow, text in zip(*columns, strict=True):
            target = memory.get(href, _UNKNOWN) if href else self._base_target
            if target is _UNKNOWN:
                target = self._resolve(href)
            if target == own_url:
                continue
            if not target:
                if target is None:
                    self._bad.add(href)
                continue
            place = places.get(target)
            if place is None:
                if len(urls) >= max_links:
                    self._left_out.add(target)
                    continue
                places[target] = len(urls)
                urls.append(target)
                nofollows.append(page_nofollow or is_nofollow)
                anchors.append(text)
            else:
                nofollows[place] &= page_nofollow or is_nofollow
                anchors[place] = anchors[place] or text
        self.kinds.extend(bytes((LinkKind.A,)) * (len(urls) - len(self.kinds)))

    def paths(self, elements: PageElements) -> list[str]:
        """Return the path of each link that was added, shape (k,); "" for links other than <a>."""
        paths = [""] * len(self.urls)
        places = self._places[LinkKind.A]
        for href, path in zip(elements.hrefs, elements.anchor_paths, strict=True):
            place = places.get(self._target(href) or "")
            if place is not None and not paths[place]:
                paths[place] = path
        return paths

    def add(self, kind: LinkKind, href: str, *, nofollow: bool = False, anchor: str = "") -> str | None:
        """Add a link that is not of an <a> element; return its target, or None if the link cannot be used.

        A link of a page to itself is not added, but its target is returned.
        """
        href = without_fragment(href)
        target = self._target(href)
        if not target:
            if target is None:
                self._bad.add(href)
            return None
        if target == self._url:
            return target
        places = self._places[kind]
        if len(self.urls) >= self._max_links and target not in places and (places or kind not in _ALWAYS_KEPT):
            self._left_out.add(target)
            return None
        nofollow = self._page_nofollow or nofollow
        place = places.setdefault(target, len(self.urls))
        if place == len(self.urls):
            self.urls.append(target)
            self.kinds.append(kind)
            self.nofollow.append(nofollow)
            self.anchors.append(anchor)
        else:
            self.nofollow[place] &= nofollow
            self.anchors[place] = self.anchors[place] or anchor
        return target

    @property
    def bad(self) -> int:
        """How many distinct hrefs were dropped as invalid."""
        return len(self._bad)

    @property
    def left_out(self) -> int:
        """How many targets were dropped because the page has too many links."""
        return len(self._left_out)

    def bounded_anchors(self, cuts: Truncations) -> list[str]:
        """Return the anchor texts, bounded."""
        return cuts.texts("anchors", self.anchors, MAX_ANCHOR_CHARACTERS, MAX_CHARACTERS_OF_ANCHORS)

    def _target(self, href: str) -> str | None:
        target = self._resolver.memory.get(href, _UNKNOWN) if href else self._base_target
        return self._resolve(href) if target is _UNKNOWN else target

    def _resolve(self, href: str) -> str | None:
        if self._legacy_charset is not None and not href.isascii():
            href = with_encoded_query(href, self._legacy_charset)
        return self._resolver.learn(href)


_ALWAYS_KEPT: Final = (LinkKind.CANONICAL, LinkKind.REFRESH)
_UNICODE: Final = frozenset({"utf-8", "utf-16le", "utf-16be", "replacement"})
