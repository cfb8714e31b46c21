"""Resolves the hrefs of a page against its URL, and caches the results."""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.urls.canonical import WEB, Canonicaliser

_MAX_REMEMBERED: Final = 500
"""Maximum number of characters of a cached href; longer ones are not cached."""
_MAX_OF_A_PAGE: Final = 10_000
"""Maximum number of hrefs that one page may add to the cache. The links of a page with more rarely recur on other
pages.
"""

_IGNORED_IN_URLS: Final = {ord("\t"): None, ord("\n"): None, ord("\r"): None}
# Matches an href that is empty or begins with "?" or "#", after C0 controls and spaces, which parsing strips. "http:"
# may come first: "http:?a" is relative, too, if the base has the same scheme.
_NEEDS_WHOLE_BASE: Final = re.compile(r"[\x00-\x20]*(?:https?:)?[\x00-\x20]*(?:[?#]|$)", re.IGNORECASE)

# Matches a path, perhaps with a query, of characters that parsing does not change: it contains no scheme and no escape.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_~./+,=@!$()*&-]+(\?[A-Za-z0-9_~./+,=@!$()*&:;?-]*)?")


def directory_of(base: str) -> str:
    """Return the part of a page's URL up to the last "/" of its path.

    Most hrefs resolve to the same target against this directory as against the whole URL; `needs_whole_base` detects
    the others. `base` is in WHATWG form. If its scheme is not http or https, it is returned unchanged.
    """
    if not base.startswith(WEB):
        return base
    query = base.find("?")
    return base[: base.rfind("/", 0, query if query >= 0 else len(base)) + 1]


def needs_whole_base(href: str) -> bool:
    """Return whether an href keeps the file name of its page's URL, because it is empty or begins with "?" or "#"."""
    return _NEEDS_WHOLE_BASE.match(href.translate(_IGNORED_IN_URLS)) is not None


def without_fragment(href: str) -> str:
    """Return an href up to its "#", or the whole href if white space before the "#" belongs to its path."""
    before = href.partition("#")[0]
    return href if before and before[-1] <= " " else before


class LinkResolver:
    """Resolves the hrefs of pages, with a cache.

    The target of an href depends only on the directory of its page, unless the href is empty or begins with "?" or "#".
    The same hrefs recur on page after page of a site. So there is one cache for each directory, and one for absolute
    hrefs. An entry takes some 200 bytes, at most a few kilobytes. Beyond `max_entries` entries, the least recently used
    directories are dropped.
    """

    def __init__(self, canonicaliser: Canonicaliser, *, max_entries: int = 100_000) -> None:
        """Begin with an empty cache."""
        self.canonicaliser = canonicaliser
        self._max_entries = max_entries
        self._directories: dict[str, dict[str, str | None]] = {}  # least recently used first
        self._absolute: dict[str, str | None] = {}
        self._entries = 0  # in all of _directories, plus one for each directory

    def resolve(self, href: str, base: str) -> str | None:
        """Return the canonical URL of an href; `NOT_FOR_THE_WEB` for other schemes; None if invalid or too long."""
        return self.relative_to(base).resolve(href)

    def relative_to(self, base: str) -> RelativeResolver:
        """Return a resolver for the hrefs of one page; do not use it after the next call of this method.

        `base` is canonical, or has a scheme other than http and https.
        """
        directory = directory_of(base)
        memory = self._directories.pop(directory, None)
        if memory is None:
            memory = {}
            self._entries += 1
        if self._entries > self._max_entries:
            self._make_room(memory)
        self._directories[directory] = memory
        return RelativeResolver(self, base, directory, memory)

    def _make_room(self, used_next: dict[str, str | None]) -> None:
        while self._entries > self._max_entries and self._directories:
            oldest = next(iter(self._directories))
            self._entries -= len(self._directories.pop(oldest)) + 1
        if self._entries > self._max_entries:
            used_next.clear()
            self._entries = 1

    def learn_absolute(self, href: str, *, remembers: bool) -> str | None:
        """Return the target of an href that begins with http:// or https://.

        The target is the same on every page. `remembers` says whether to cache it.
        """
        if href in self._absolute:
            return self._absolute[href]
        if len(self._absolute) > self._max_entries // 2:
            self._absolute.clear()
        target = self.canonicaliser.canonical_or_reason(href)
        if remembers and len(href) <= _MAX_REMEMBERED:
            self._absolute[href] = target
        return target

    def remember(self, href: str, target: str | None, memory: dict[str, str | None]) -> None:
        """Cache the target of an href, unless the href is too long."""
        if len(href) <= _MAX_REMEMBERED:
            memory[href] = target
            self._entries += 1


class RelativeResolver:
    """Resolves the hrefs of one page.

    `memory` is the cache of the page's directory. `learn` resolves hrefs that are not in this cache.
    """

    __slots__ = ("_base", "_directory", "_resolver", "_room", "memory")

    def __init__(self, resolver: LinkResolver, base: str, directory: str, memory: dict[str, str | None]) -> None:
        """`memory` is the cache of `directory`, the directory of `base`."""
        self.memory = memory
        self._resolver = resolver
        self._base = base
        self._directory = directory
        self._room = _MAX_OF_A_PAGE

    def resolve(self, href: str) -> str | None:
        """Resolve an href as `LinkResolver.resolve` does."""
        return self.memory[href] if href in self.memory else self.learn(href)

    def learn(self, href: str) -> str | None:
        """Resolve an href that `memory` does not hold, and cache it if possible."""
        resolver = self._resolver
        target = self._plainly_joined(href)
        if target is None:
            if href.startswith(WEB):
                target = resolver.learn_absolute(href, remembers=self._room > 0)
            else:
                target = resolver.canonicaliser.canonical_or_reason(href, self._base)
                if needs_whole_base(href):
                    return target
            if not href.isascii():  # its query means something else on a page in a legacy encoding
                return target
        if self._room > 0:
            self._room -= 1
            resolver.remember(href, target, self.memory)
        return target

    def _plainly_joined(self, href: str) -> str | None:
        """Return the result of `canonical_or_reason` for common hrefs, in a fifth of the time; None for others."""
        plain = _PLAIN.fullmatch(href)
        directory = self._directory
        if plain is None or not directory.startswith(WEB):
            return None
        if href.startswith("/"):
            if href.startswith("//"):
                return None
            directory = directory[: directory.index("/", 8)]
        elif href.startswith("."):
            href = href.removeprefix("./")
            while href.startswith("../"):
                href = href[3:]
                above = directory.rfind("/", 8, -1)
                if above >= 0:  # else this is the root already
                    directory = directory[: above + 1]
            if href.startswith("."):
                return None
        if "/." in href:
            return None
        target = directory + href
        if plain[1] is not None:
            target = self._resolver.canonicaliser.tidy_query(target)
        return target if len(target) <= self._resolver.canonicaliser.max_length else None
