"""Reads a page's directives to robots: meta robots and X-Robots-Tag.

There is no RFC for these directives, so the search engines' documentation is the standard. The meta element and the
header contain a comma-separated list; a header value may address a single agent, as in `hinterland: noindex, nofollow`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

# Directives that take a value after a colon. The word before the colon is not an agent's name then.
_VALUED: Final = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_EVERYONE: Final = frozenset({"*", "robots"})
_AGENT: Final = re.compile(r"([a-z_*][^\s/:]*)(/[^\s:]*)?")
_BETWEEN_WORDS: Final = re.compile(r"[\s;]+")


@dataclass(frozen=True, slots=True)
class PageDirectives:
    """What a page forbids robots to do; by default nothing."""

    nofollow: bool = False
    """Robots must not follow any link of the page."""
    noindex: bool = False
    """Robots must not show the page in search results."""


def page_directives(values: Iterable[str], agent: str) -> PageDirectives:
    """Return the directives in `values` that apply to `agent`, a product token. If several apply, the strictest count.

    Each of `values` is the value of an X-Robots-Tag header, or the content of a meta element named `robots` or named
    after the agent. After an agent's name in a value, directives up to the next name apply to that agent only. Case is
    ignored. Unknown directives, and directives that state the default (`all`, `index`, `follow`), have no effect.
    """
    words = {word for value in values for word in _words_for(agent.lower(), value.lower())}
    is_none = "none" in words
    return PageDirectives(nofollow=is_none or "nofollow" in words, noindex=is_none or "noindex" in words)


def _words_for(agent: str, value: str) -> Iterable[str]:
    is_meant = True
    for part in value.split(","):
        name, colon, rest = part.partition(":")
        # A date contains a comma and colons, but the part before its first colon has a space, so it is not a name.
        if colon and name.strip() not in _VALUED and (addressed := _AGENT.fullmatch(name.strip())):
            is_meant = addressed[1] == agent or addressed[1] in _EVERYONE
            part = rest
        if is_meant and ":" not in part:
            yield from _BETWEEN_WORDS.split(part)
