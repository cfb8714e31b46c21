"""The fields of documents in the index, and the analyzers that turn their text into terms.

Words are stemmed by the document's language, so each text field exists once for each language. Documents in languages
that are rare or have no stemmer share a field without stemming. The languages are fixed when an index is created.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import tantivy
from tantivy import Filter, SchemaBuilder, TextAnalyzerBuilder, Tokenizer

from hinterland.search.store.term_text import prepared
from hinterland.search.store.values.term_query import NAMES, SITE_DEPTH, WORDS

FORMAT: Final = 6
"""The format of an index. Indexes of earlier formats have a field for each text and cannot be searched."""

STEMMERS: Final = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
"""The Snowball stemmer of each language, by primary tag."""

UNSTEMMED: Final = "x"
"""Stands in for the language in the name of a field without stemming."""

_LONGEST_TOKEN: Final = 100
_REMEMBERED: Final = 500
"""Texts whose terms are kept: the words of a query are analysed in each field and language, and for each hit."""
SPELLINGS: Final = "spellings"
"""The field of identifiers, each as spelt, prefixed with the field in which it occurs."""
TYPE, DOMAIN, DATED, YEAR, RELEVANCE = "type", "domain", "dated", "year", "relevance"
"""Facet fields, besides site and language. DATED is the page's date in epoch seconds and YEAR its year; RELEVANCE is
the relevance to the topic of the store in whole percents. A document without a value has no entry."""
FOLDERS: Final = tuple(f"folder_{depth}" for depth in range(SITE_DEPTH + 1))
"""The first of these fields holds the host of a document, the next one its host and the first folder of its path, and
so on. With one field for each depth, counting the folders in a folder does not scan all folders.
"""
HOME: Final = "home"
"""The field of the words that name a site, for home pages only. Each word is prefixed with the depth of the page."""
_STEMMED: Final = (WORDS, NAMES, "title", "rest")
"""The text fields besides "url"; only `rest` has no positions."""


class IndexFields:
    """The fields of an index whose documents are stemmed in these languages."""

    def __init__(self, languages: Sequence[str]) -> None:
        """Create the schema."""
        self.languages = tuple(languages)
        self.stemmings = (*self.languages, UNSTEMMED)
        self.schema = _schema(self.languages)
        self._analyzers = {language: _analyzer(language) for language in self.stemmings}
        self._remembered = lru_cache(_REMEMBERED)(self._tokens)

    def register(self, index: tantivy.Index) -> None:
        """Register the analyzers with an index of this schema."""
        for language, analyzer in self._analyzers.items():
            index.register_tokenizer(f"words_{language}", analyzer)
        index.register_tokenizer(SPELLINGS, TextAnalyzerBuilder(Tokenizer.whitespace()).build())

    def name(self, field: str, language: str) -> str:
        """Return the name of the field that holds the text of documents in a language.

        Texts without a field of their own, such as "body", are in WORDS.
        """
        if field == "url":
            return field
        return f"{field if field in _STEMMED else WORDS}_{self._stemming(language)}"

    def names(self, field: str) -> list[tuple[str, str]]:
        """Return (language, name of the field) for all languages of a text field."""
        languages = (UNSTEMMED,) if field == "url" else self.stemmings
        return [(language, self.name(field, language)) for language in languages]

    def has(self, name: str) -> bool:
        """Return whether there is a text field of that name."""
        stem = name.rpartition("_")[2]
        return name == "url" or stem in self.stemmings

    def tokens(self, text: str, language: str) -> list[str]:
        """Return the terms of a text in a language, in order."""
        return list(self._remembered(text, self._stemming(language)))

    def _tokens(self, text: str, stemming: str) -> tuple[str, ...]:
        return tuple(self._analyzers[stemming].analyze(prepared(text)))

    def has_words(self, text: str) -> bool:
        """Return whether a text has any terms. Punctuation, for example, has none."""
        return any(self.tokens(text, language) for language in self._analyzers)

    def _stemming(self, language: str) -> str:
        return language if language in self.languages else UNSTEMMED


def spelt_in(field: str, spelling: str) -> str:
    """Return the term in the field SPELLINGS for an identifier that occurs in `field`."""
    return f"{field}:{spelling}"


def _schema(languages: Sequence[str]) -> Any:
    builder = SchemaBuilder()
    builder.add_unsigned_field("page", indexed=True, fast=True)
    builder.add_unsigned_field("fingerprint", fast=True)
    builder.add_integer_field("fetched_at", fast=True, indexed=True)
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_text_field("site", tokenizer_name="raw", index_option="basic")
    builder.add_text_field(DOMAIN, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_text_field(TYPE, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_integer_field(DATED, fast=True, indexed=True)
    builder.add_unsigned_field(YEAR, fast=True, indexed=True)
    builder.add_unsigned_field(RELEVANCE, fast=True, indexed=True)
    for folder in FOLDERS:
        builder.add_text_field(folder, tokenizer_name="raw", index_option="basic", fast=True)
    for as_written in (SPELLINGS, HOME):
        builder.add_text_field(as_written, tokenizer_name=SPELLINGS, index_option="basic")
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
