"""Finds out whether a text is written in another language than the declared one. Pure."""

from __future__ import annotations

from functools import cache
from typing import Final

from hinterland.search.main_content import likely_language
from hinterland.search.store.function_words import FunctionWords

_FEWEST_WORDS: Final = 100
_MOST_WORDS: Final = 200
_LEAST_SHARE: Final = 0.2
"""The least share of function words in a text of sentences. Code and tables have less."""
_TIMES: Final = 3
"""A text must have at least this many times as many function words of the guessed language as of the declared one."""
_MOST_KNOWN: Final = 100_000
_LIKE: Final = (frozenset({"da", "no", "nb", "nn"}),)
"""Languages whose function words are the same."""


def language_unlike(declared: str, text: str) -> str:
    """Return the language of a text if it certainly differs from the declared one (a BCP 47 tag); otherwise "".

    A statistical guess alone is wrong for one in twelve pages of code. So the text must also have function words of the
    guessed language, and hardly any of the declared one. If there is no list of function words for a declared language,
    the result is "".
    """
    said = declared.strip().lower().partition("-")[0]
    words = text.lower().split()[:_MOST_WORDS]
    if not said or len(words) < _FEWEST_WORDS:
        return ""
    read = likely_language(text)
    if read in ("", said) or any({read, said} <= alike for alike in _LIKE):
        return ""
    own = _share(read, words)
    if own is None or own < _LEAST_SHARE:
        return ""
    others = _share(said, words)
    return read if others is not None and own >= _TIMES * others else ""


def _share(language: str, words: list[str]) -> float | None:
    """Return what fraction of the words are function words of a language; None if there is no list of these."""
    known = _list_of(language)
    return None if known is None else sum(map(known.__getitem__, words)) / len(words)


class _KnownWords(dict[str, bool]):
    """Remembers whether words are function words of a language, for the words that were looked up most recently."""

    def __init__(self, listed: FunctionWords) -> None:
        super().__init__()
        self._listed = listed

    def __missing__(self, word: str) -> bool:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        self[word] = found = bool(self._listed.among([word]))
        return found


@cache
def _list_of(language: str) -> _KnownWords | None:
    made = FunctionWords([language])
    return _KnownWords(made) if made.knows(language) else None
