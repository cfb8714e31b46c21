"""The function words of languages: words such as "how", "do" and "the", which occur in sentences about any subject.

They are the stop lists of the Snowball project (Porter, BSD licence): tantivy has the lists of twelve languages, and a
shorter list for English.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

_LISTS: Final = {
    "da": "danish", "de": "german", "es": "spanish", "fi": "finnish", "fr": "french", "hu": "hungarian",
    "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ru": "russian", "sv": "swedish",
}  # fmt: skip
"""tantivy's name of each language's list, by primary tag."""

_ENGLISH_LIST: Final = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
itself they them their theirs themselves what which who whom whose this that these those am is are was were be been
being have has had having do does did doing would should could ought can will may might must shall cannot
a an the and but if or because as until while of at by for with about against between into through during before after
above below to from up down in out on off over under again further then once here there when where why how all any both
each few more most other some such no nor not only own same so than too very
"""
_ENGLISH: Final = frozenset(_ENGLISH_LIST.split())
_CLIPPED_LIST: Final = """
s t d m re ve ll don isn aren wasn weren hasn haven hadn doesn didn won wouldn shan shouldn can couldn mustn let
"""
_CLIPPED: Final = frozenset(_CLIPPED_LIST.split())
"""The parts of I'm, don't and similar words that are split at the apostrophe."""
_FRENCH_LIST: Final = "comment pourquoi quel quelle quels quelles quand où combien quoi est ce"
_FRENCH_QUESTIONS: Final = frozenset(_FRENCH_LIST.split())
"""Question words that are missing in the French list, unlike in the others."""


class FunctionWords:
    """The function words of some languages."""

    def __init__(self, languages: Sequence[str]) -> None:
        """Take the primary tags of the languages, the most frequent first. Languages without a list are ignored."""
        self._of = {language: _Words(language) for language in languages if language == "en" or language in _LISTS}

    def knows(self, language: str) -> bool:
        """Return whether there is a list of the language."""
        return language in self._of

    def among(self, words: Sequence[str]) -> frozenset[int]:
        """Return the indices of the function words among the words of a query.

        The language is the one with most function words among these words.
        """
        found = [frozenset(place for place, word in enumerate(words) if has(word)) for has in self._of.values()]
        return max(found, key=len, default=frozenset())


class _Words:
    """The function words of one language."""

    def __init__(self, language: str) -> None:
        self._is_english, self._is_french = language == "en", language == "fr"
        builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.lowercase())
        self._split: Any = builder.build()
        self._others: Any = None
        if not self._is_english:
            builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.lowercase())
            self._others = builder.filter(Filter.stopword(_LISTS[language])).build()

    def __call__(self, word: str) -> bool:
        """Return whether a word consists of function words only."""
        tokens = self._split.analyze(word)
        if not tokens:
            return False
        if self._is_english:
            clipped = _CLIPPED if len(tokens) > 1 else frozenset[str]()
            return all(token in _ENGLISH or token in clipped for token in tokens)
        left = self._others.analyze(word)
        return not left or (self._is_french and all(token in _FRENCH_QUESTIONS for token in left))
