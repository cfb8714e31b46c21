"""Decides whether a page with status 200 says that the page does not exist. Pure.

Some servers answer any URL with a page. A request for a page that cannot exist, called a sibling probe, reveals such
servers (Bar-Yossef, Broder, Kumar & Tomkins, WWW 2004). A page that says the same as the answer to the probe does not
exist either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from hinterland.storage.values.soft_404 import ProbedDirectory

PROBE_AGAIN: Final = 30 * 86_400.0
"""Seconds between two probes of a directory: a month."""
_ALIKE: Final = 0.6
_ALIKE_IF_SAID: Final = 0.25
"""Two texts say the same from this share of common shingles on. The first limit is the usual one. The second holds if
both titles say that there is no page, since such answers often suggest other pages.
"""
_OTHER_WORDS: Final = 40
_SHINGLE: Final = 3
_MOST_WORDS: Final = 5_000
_FEWEST_WORDS: Final = 4
_SUSPICIOUS: Final = 0.4
"""A changed page is suspicious if this share of its words is new or gone: an error page has hardly any of the old
words.
"""
_NO_PAGE: Final = re.compile(
    r"\b404\b|\b(?:not|cannot be|can't be|couldn't be|could not be) found\b|\bno (?:such|results)\b"
    r"|\b(?:does not|doesn't) exist\b|\bnicht gefunden\b|\b(?:introuvable|non trouvée?)\b|\bno encontrad[ao]\b"
    r"|\bnon trovat[ao]\b|\bniet gevonden\b|\bnão encontrad[ao]\b|не найден|見つかりません|未找到|找不到",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """A page to compare: its URL, title and text."""

    url: str
    title: str
    text: str


def directory_of(url: str) -> str:
    """Return a URL up to the last slash of its path; a server gives the same answer for all missing pages in there."""
    path = url.partition("?")[0]
    return path[: path.rfind("/") + 1]


def is_front(path: str) -> bool:
    """Return whether a path is the front page of a site or directory, which many servers show for any missing page."""
    name = path.partition("?")[0].rpartition("/")[2]
    return not name or name.lower().startswith(("index.", "default."))


def probe_url(directory: str, token: str) -> str:
    """Return the URL of a page that cannot exist; `token` is a string of random letters."""
    return f"{directory}{token}.html"


def says_the_same(page: ComparedPage, probe: ComparedPage) -> bool:
    """Return whether a page says what its server says about a page that does not exist.

    Words of either URL are ignored, since such answers repeat them, and so are numbers, times and tokens. The titles
    must be the same.
    """
    echoed = _words(unquote(page.url)) | _words(unquote(probe.url))
    if _content_words(page.title, echoed) != _content_words(probe.title, echoed):
        return False
    own, others = _content_words(page.text, echoed), _content_words(probe.text, echoed)
    if min(len(own), len(others)) < _FEWEST_WORDS:
        return False
    one, other = _shingles(own), _shingles(others)
    share = len(one & other) / len(one | other)
    if _NO_PAGE.search(page.title) and _NO_PAGE.search(probe.title):
        return share >= _ALIKE_IF_SAID
    return share >= _ALIKE and len(set(own) ^ set(others)) <= _OTHER_WORDS


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _content_words(text: str, without: set[str]) -> list[str]:
    return [word for word in _WORD.findall(text.lower())[:_MOST_WORDS] if word not in without]


def _shingles(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[place : place + _SHINGLE]) for place in range(max(len(words) - _SHINGLE + 1, 1))}


class Soft404:
    """Which directories were probed, and what their servers said. Mutable."""

    def __init__(self, choice: str, probed: Iterable[ProbedDirectory] = ()) -> None:
        """Start with the probes known so far; `choice` is the setting `revisits.soft_404`."""
        self._choice = choice
        self._probed = {each.directory: each for each in probed}

    def is_suspicious(self, *, is_revisit: bool, share: float | None) -> bool:
        """Return whether a page that was just read is worth a probe.

        `is_revisit` says that the page was visited before. `share` is the share of words in its content that are new or
        gone, None if there is no earlier version.
        """
        if self._choice == "all":
            return True
        return self._choice == "changed" and is_revisit and (share is None or share >= _SUSPICIOUS)

    def probed(self, url: str, now: float) -> ProbedDirectory | None:
        """Return the probe of a page's directory if it is less than a month old, else None."""
        known = self._probed.get(directory_of(url))
        return known if known is not None and 0 <= now - known.asked_at < PROBE_AGAIN else None

    def remember(self, found: ProbedDirectory) -> None:
        """Remember what a probe found."""
        self._probed[found.directory] = found
