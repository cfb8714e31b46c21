"""Pages that say, with status 200, that there is no such page. Pure.

A server that answers anything with a page is found out by asking it for a page that nobody has (a sibling probe,
Bar-Yossef, Broder, Kumar & Tomkins, WWW 2004): what says the same as that answer is no page either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from hinterland.storage.values.soft_404 import ProbedDirectory

PROBE_AGAIN: Final = 30 * 86_400.0
"""Seconds: a directory is asked once a month."""
_ALIKE: Final = 0.6
_ALIKE_IF_SAID: Final = 0.25
"""Of the shingles of both, so many have to stand in either; fewer where the title says that there is no page, since
such answers often suggest other pages."""
_OTHER_WORDS: Final = 40
_SHINGLE: Final = 3
_MOST_WORDS: Final = 5_000
_FEWEST_WORDS: Final = 4
_SUSPICIOUS: Final = 0.4
"""Of the words of a page; one that turned into an error page has hardly any of those it had."""
_NO_PAGE: Final = re.compile(
    r"\b404\b|\b(?:not|cannot be|can't be|couldn't be|could not be) found\b|\bno (?:such|results)\b"
    r"|\b(?:does not|doesn't) exist\b|\bnicht gefunden\b|\b(?:introuvable|non trouvée?)\b|\bno encontrad[ao]\b"
    r"|\bnon trovat[ao]\b|\bniet gevonden\b|\bnão encontrad[ao]\b|не найден|見つかりません|未找到|找不到",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """What a page says, and at which URL."""

    url: str
    title: str
    text: str


def directory_of(url: str) -> str:
    """Up to the last slash of its path: what a server answers alike."""
    path = url.partition("?")[0]
    return path[: path.rfind("/") + 1]


def is_front(path: str) -> bool:
    """Whether a path is that of a site or directory as a whole, which many servers show for anything."""
    name = path.partition("?")[0].rpartition("/")[2]
    return not name or name.lower().startswith(("index.", "default."))


def probe_url(directory: str, token: str) -> str:
    """Of a page that nobody has. token: letters drawn by lot."""
    return f"{directory}{token}.html"


def says_the_same(page: ComparedPage, probe: ComparedPage) -> bool:
    """Whether a page is what its server says of a page that it does not have. Words of either URL, which such answers
    repeat, numbers, and what is a clock or a token otherwise, make no difference; a title does.
    """
    echoed = _words(unquote(page.url)) | _words(unquote(probe.url))
    if _told(page.title, echoed) != _told(probe.title, echoed):
        return False
    own, others = _told(page.text, echoed), _told(probe.text, echoed)
    if min(len(own), len(others)) < _FEWEST_WORDS:
        return False
    one, other = _shingles(own), _shingles(others)
    share = len(one & other) / len(one | other)
    if _NO_PAGE.search(page.title) and _NO_PAGE.search(probe.title):
        return share >= _ALIKE_IF_SAID
    return share >= _ALIKE and len(set(own) ^ set(others)) <= _OTHER_WORDS


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _told(text: str, without: set[str]) -> list[str]:
    return [word for word in _WORD.findall(text.lower())[:_MOST_WORDS] if word not in without]


def _shingles(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[place : place + _SHINGLE]) for place in range(max(len(words) - _SHINGLE + 1, 1))}


class Soft404:
    """Mutable: which directories were asked, and what they said."""

    def __init__(self, choice: str, probed: Iterable[ProbedDirectory] = ()) -> None:
        """choice: see revisits.soft_404."""
        self._choice = choice
        self._probed = {each.directory: each for each in probed}

    def is_suspicious(self, *, is_revisit: bool, share: float | None) -> bool:
        """Whether a page that was just read is worth a probe. is_revisit: it was visited before; share: of the words of
        its content that are new or gone, None if there was no page.
        """
        if self._choice == "all":
            return True
        return self._choice == "changed" and is_revisit and (share is None or share >= _SUSPICIOUS)

    def probed(self, url: str, now: float) -> ProbedDirectory | None:
        """What is known of the directory of a page, if that was found out within a month."""
        known = self._probed.get(directory_of(url))
        return known if known is not None and 0 <= now - known.asked_at < PROBE_AGAIN else None

    def remember(self, found: ProbedDirectory) -> None:
        self._probed[found.directory] = found
