"""The fields of a document in the index, and how their text becomes terms.

A document's words are stemmed by its language, so each text field is one field per language; documents of languages
that are too few or have no stemmer share a field without stemming. The languages are fixed when an index is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import tantivy
from tantivy import Filter, SchemaBuilder, TextAnalyzerBuilder, Tokenizer

from hinterland.search.store.term_text import prepared
from hinterland.search.store.values.term_query import SITE_DEPTH, WORD_FIELDS

FORMAT: Final = 4
"""Of an index. Format 1 has no field SPELLINGS, format 2 none to count documents by, format 3 no folders to count."""

STEMMERS: Final = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
"""Primary tag -> Snowball stemmer."""

UNSTEMMED: Final = "x"
"""In the name of a field, in place of a language."""

_LONGEST_TOKEN: Final = 100
SPELLINGS: Final = "spellings"
"""The field of the names of code, each as it is spelt, with the field it stands in."""
TYPE, DOMAIN, DATED, YEAR, RELEVANCE = "type", "domain", "dated", "year", "relevance"
"""The fields that documents are counted by, beside their sites and languages. DATED: epoch seconds of the date that a
page bears, and YEAR its year; RELEVANCE: to the topic of the store, in whole percents. Those of no value have none."""
FOLDERS: Final = tuple(f"folder_{depth}" for depth in range(SITE_DEPTH + 1))
"""The host of a document, its host and the first part of its path, and so on: a column for each depth, so that what
lies in a folder is counted without a look at all folders there are."""
_STEMMED: Final = tuple(field for field in WORD_FIELDS if field != "url")


class IndexFields:
    """The fields of an index whose documents are stemmed by these languages.

    format_number: an earlier FORMAT has fewer fields.
    """

    def __init__(self, languages: Sequence[str], format_number: int = FORMAT) -> None:
        self.languages = tuple(languages)
        self.stemmings = (*self.languages, UNSTEMMED)
        self.has_spellings = format_number >= 2
        self.has_facets = format_number >= 3
        self.schema = _schema(self.languages, format_number)
        self._analyzers = {language: _analyzer(language) for language in self.stemmings}

    def register(self, index: tantivy.Index) -> None:
        """Let an index with this schema know how its texts become terms."""
        for language, analyzer in self._analyzers.items():
            index.register_tokenizer(f"words_{language}", analyzer)
        index.register_tokenizer(SPELLINGS, TextAnalyzerBuilder(Tokenizer.whitespace()).build())

    def name(self, field: str, language: str) -> str:
        """Of the field that has the text of documents in that language."""
        return field if field == "url" else f"{field}_{self._stemming(language)}"

    def names(self, field: str) -> list[tuple[str, str]]:
        """(language, name) of all fields that have such text."""
        languages = (UNSTEMMED,) if field == "url" else self.stemmings
        return [(language, self.name(field, language)) for language in languages]

    def has(self, name: str) -> bool:
        """Whether there is a field of text of that name."""
        stem = name.rpartition("_")[2]
        return name == "url" or stem in self.stemmings

    def tokens(self, text: str, language: str) -> list[str]:
        """The terms of a text in that language, in their order."""
        tokens: list[str] = self._analyzers[self._stemming(language)].analyze(prepared(text))
        return tokens

    def has_words(self, text: str) -> bool:
        """Whether a text has any terms: signs alone have none."""
        return any(self.tokens(text, language) for language in self._analyzers)

    def _stemming(self, language: str) -> str:
        return language if language in self.languages else UNSTEMMED


def spelt_in(field: str, spelling: str) -> str:
    """The term of a name in the field SPELLINGS."""
    return f"{field}:{spelling}"


def _schema(languages: Sequence[str], format_number: int) -> Any:
    has_facets = format_number >= 3
    builder = SchemaBuilder()
    builder.add_unsigned_field("page", indexed=True, fast=True)
    builder.add_unsigned_field("fingerprint", fast=True)
    builder.add_integer_field("fetched_at", fast=True, indexed=True)
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic", fast=has_facets)
    builder.add_text_field("site", tokenizer_name="raw", index_option="basic", fast=format_number == 3)
    if has_facets:
        builder.add_text_field(DOMAIN, tokenizer_name="raw", index_option="basic", fast=True)
        builder.add_text_field(TYPE, tokenizer_name="raw", index_option="basic", fast=True)
        builder.add_integer_field(DATED, fast=True, indexed=True)
        builder.add_unsigned_field(YEAR, fast=True, indexed=True)
        builder.add_unsigned_field(RELEVANCE, fast=True, indexed=True)
    for folder in FOLDERS if format_number >= 4 else ():
        builder.add_text_field(folder, tokenizer_name="raw", index_option="basic", fast=True)
    if format_number >= 2:
        builder.add_text_field(SPELLINGS, tokenizer_name=SPELLINGS, index_option="basic")
    builder.add_text_field("url", tokenizer_name=f"words_{UNSTEMMED}", index_option="position")
    for language in (*languages, UNSTEMMED):
        for field in _STEMMED:
            option = "freq" if field == "rest" else "position"
            builder.add_text_field(f"{field}_{language}", tokenizer_name=f"words_{language}", index_option=option)
    return builder.build()


def _analyzer(language: str) -> Any:
    builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(_LONGEST_TOKEN))
    builder = builder.filter(Filter.lowercase())
    if language in STEMMERS:
        builder = builder.filter(Filter.stemmer(STEMMERS[language]))
    return builder.filter(Filter.ascii_fold()).build()
