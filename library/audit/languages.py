"""Whether a text is written in a different language from the one declared for it. Pure."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from hinterland.search.main_content import likely_language
from hinterland.search.store.function_words import FunctionWords

_FEWEST_WORDS: Final = 100
_MOST_WORDS: Final = 200
_LEAST_SHARE: Final = 0.2
"""The least share of function words in a text of sentences. Code and tables have less."""
_TIMES: Final = 3
"""How many times as many function words of its own language as of the declared one a text must have."""
_LIKE: Final = (frozenset({"da", "no", "nb", "nn"}),)
"""Languages whose function words are the same."""


def language_unlike(declared: str, text: str) -> str:
    """Return the language of a text if it certainly differs from the declared one, a BCP 47 tag; else "".

    A statistical guess alone errs on one page of code in a dozen. So the text must also have the function words of the
    language that was guessed, and hardly any of the declared one. Languages without a list are never contradicted.
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
    """Return the share of function words of a language; None if there is no list of them."""
    if _list_of(language) is None:
        return None
    return sum(_is_function_word(language, word) for word in words) / len(words)


@lru_cache(maxsize=100_000)
def _is_function_word(language: str, word: str) -> bool:
    found = _list_of(language)
    return found is not None and bool(found.among([word]))


@cache
def _list_of(language: str) -> FunctionWords | None:
    made = FunctionWords([language])
    return made if made.knows(language) else None
