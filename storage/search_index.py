"""The terms of the documents: which words stand where. A tantivy index in one folder.

A document's words are stemmed by its language, so each text field is one field per language; documents of languages
that are too few or have no stemmer share a field without stemming. The languages are fixed when an index is made.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import log2
from operator import itemgetter
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import numpy as np
import tantivy
from numpy.typing import NDArray
from tantivy import Document, Filter, Occur, Query, SchemaBuilder, TextAnalyzerBuilder, Tokenizer

from storage.term_query import TEXT_FIELDS, Boosts, TermQuery, TextHits, Words
from storage.term_text import prepared, restored

STEMMERS: Final = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
"""Primary tag -> Snowball stemmer."""

UNSTEMMED: Final = "x"
"""In the name of a field, in place of a language."""

_LONGEST_TOKEN: Final = 100
_MOST_REPEATS: Final = 8
_WRITER_BYTES: Final = 256 << 20
_MOST_THREADS: Final = 8
_STEMMED: Final = tuple(field for field in TEXT_FIELDS if field != "url")
_SITE_DEPTH: Final = 6


class IndexUnreadable(Exception):
    """The folder holds no index, or a damaged one; the message says which."""


@dataclass(frozen=True, slots=True)
class IndexedText:
    """The searchable side of a document."""

    page: int
    fingerprint: int
    language: str
    fetched_at: float
    url: str
    host: str
    site: str
    texts: Sequence[tuple[str, str, int]]
    """(field, text, on how many pages it stands, see `_repeats`). No phrase reaches from one text into the next."""


class SearchTerms:
    """Terms, to be written or asked. What is written is seen after `commit`, by others after `reload`."""

    def __init__(self, index: Any, languages: Sequence[str]) -> None:
        self._index = index
        self._schema = index.schema
        self._languages = tuple(languages)
        self._analyzers = {language: _analyzer(language) for language in (*languages, UNSTEMMED)}
        for language, analyzer in self._analyzers.items():
            index.register_tokenizer(f"words_{language}", analyzer)
        self._writer: Any = None
        self._searcher = index.searcher()

    @classmethod
    def create(cls, folder: Path, languages: Iterable[str]) -> SearchTerms:
        """In an empty folder. Raises OSError."""
        stemmed = [language for language in languages if language in STEMMERS]
        return cls(tantivy.Index(_schema(stemmed), path=str(folder), reuse=False), stemmed)

    @classmethod
    def open(cls, folder: Path, languages: Sequence[str]) -> SearchTerms:
        """With the languages it was created with. Raises IndexUnreadable."""
        try:
            if not folder.is_dir() or not tantivy.Index.exists(str(folder)):
                raise IndexUnreadable(f"there are no terms in {folder}")
            return cls(tantivy.Index(_schema(languages), path=str(folder), reuse=True), languages)
        except (ValueError, OSError) as error:
            raise IndexUnreadable(f"the terms in {folder} cannot be read: {error}") from error

    # ---------------------------------------------------------------- writing

    def write(self, documents: Iterable[IndexedText]) -> None:
        """Add documents, in place of older ones of the same pages."""
        texts = list(documents)
        self.remove([text.page for text in texts])
        writer = self._opened_writer()
        for text in texts:
            writer.add_document(self._document(text))

    def remove(self, pages: Sequence[int]) -> None:
        """Take documents out, if they are there."""
        if pages:  # by a query: a term made of a number deletes nothing in tantivy-py 0.27
            self._opened_writer().delete_documents_by_query(self._among(pages))

    def commit(self) -> None:
        """Make what was written last, whatever happens afterwards."""
        if self._writer is not None:
            self._writer.commit()
            self.reload()

    def close(self) -> None:
        """Commit, and wait until the parts of the index are merged."""
        self.commit()
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None
            self.reload()

    def _opened_writer(self) -> Any:
        if self._writer is None:
            self._writer = self._index.writer(_WRITER_BYTES, min(os.cpu_count() or 1, _MOST_THREADS))
        return self._writer

    def _document(self, text: IndexedText) -> Document:
        document = Document()
        document.add_unsigned("page", text.page)
        document.add_unsigned("fingerprint", text.fingerprint)
        document.add_integer("fetched_at", int(text.fetched_at))
        document.add_text("language", text.language)
        for site in _sites(text.url, text.host, text.site):
            document.add_text("site", site)
        suffix = text.language if text.language in self._languages else UNSTEMMED
        document.add_text("url", prepared(_url_words(text.url)))
        for field, words, weight in text.texts:
            name = f"{field}_{suffix}"
            ready = prepared(words)
            for _ in range(_repeats(weight)):
                document.add_text(name, ready)
        return document

    # ---------------------------------------------------------------- asking

    def reload(self) -> None:
        """See what was committed since."""
        self._index.reload()
        self._searcher = self._index.searcher()

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def known(self) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """The pages of all documents, and their fingerprints."""
        hits = self._searcher.search(Query.all_query(), max(len(self), 1), count=False).hits
        addresses = [address for _, address in hits]
        pages = self._searcher.fast_field_values("page", addresses)
        prints = self._searcher.fast_field_values("fingerprint", addresses)
        return np.array(pages, np.int64), np.array(prints, np.uint64)

    def best(self, query: TermQuery, boosts: Boosts, limit: int) -> TextHits:
        """The `limit` documents with the best text scores: the sum of boosted BM25 scores over fields and words."""
        result = self._searcher.search(self._built(query, boosts), limit)
        return self._hits(result)

    def scores_of(self, query: TermQuery, boosts: Boosts, pages: Sequence[int]) -> dict[int, float]:
        """The text scores of some documents, of those with any."""
        words = self._any_of(query.required, boosts)
        if words is None or not pages:
            return {}
        among = Query.const_score_query(self._among(pages), 0.0)
        found = Query.boolean_query([(Occur.Must, among), (Occur.Must, words)])
        hits = self._hits(self._searcher.search(found, len(pages)))
        return dict(zip(hits.pages.tolist(), hits.scores.tolist(), strict=True))

    def has_words(self, words: Words) -> bool:
        """Whether anything of it is left to look for: signs alone are not."""
        return any(analyzer.analyze(prepared(words.text)) for analyzer in self._analyzers.values())

    def highlighted(
        self, query: TermQuery, text: str, field: str, language: str, most_characters: int | None = None
    ) -> tuple[tuple[str, bool], ...]:
        """The passage of a text that answers best, in pieces (text, is it a match); empty if no word is in it.

        most_characters: about the length of the passage; None: all of the text.
        """
        name = self._field(field, language)
        everywhere = [self._words_in(words, name, language) for words in query.required]
        found = [(Occur.Should, words) for words in everywhere if words is not None]
        if not found or not text:
            return ()
        generator = tantivy.SnippetGenerator.create(
            self._searcher, Query.boolean_query(found), self._schema, name
        )
        ready = prepared(text)
        size = len(ready.encode())
        generator.set_max_num_chars(  # which counts bytes
            size + 1 if most_characters is None else max(most_characters * size // len(text), 1)
        )
        document = Document()
        document.add_text(name, ready)
        snippet = generator.snippet_from_doc(document)
        passage, matches = snippet.fragment(), [(part.start, part.end) for part in snippet.highlighted()]
        if most_characters is None and matches:  # a passage ends with a word, and may leave a full stop behind
            before, _, after = ready.partition(passage)
            start = len(before.encode())
            passage, matches = before + passage + after, [(start + left, start + right) for left, right in matches]
        return _pieces(passage, matches)

    def _hits(self, result: Any) -> TextHits:
        addresses = [address for _, address in result.hits]
        return TextHits(
            pages=np.array(self._searcher.fast_field_values("page", addresses), np.int64),
            scores=np.array([score for score, _ in result.hits], np.float64),
            total=int(result.count or 0),
        )

    # ---------------------------------------------------------------- queries

    def _built(self, query: TermQuery, boosts: Boosts) -> Any:
        clauses = [(Occur.Must, Query.const_score_query(condition, 0.0)) for condition in self._conditions(query)]
        for without in query.excluded:
            unwanted = self._everywhere(without, dict.fromkeys(TEXT_FIELDS, 1.0))
            if unwanted is not None:
                clauses.append((Occur.MustNot, unwanted))
        clauses += [(Occur.MustNot, self._term("site", site)) for site in query.excluded_sites]
        if query.excluded_pages:
            clauses.append((Occur.MustNot, self._among(query.excluded_pages)))
        wanted = [(each.may_lack, self._everywhere(each, boosts) or Query.empty_query()) for each in query.required]
        least = query.least_words
        if least is not None and 0 < least < sum(may_lack for may_lack, _ in wanted):
            any_of = [(Occur.Should, words) for may_lack, words in wanted if may_lack]
            clauses.append((Occur.Must, Query.boolean_query(any_of, least)))
            wanted = [(may_lack, words) for may_lack, words in wanted if not may_lack]
        clauses += [(Occur.Must, words) for _, words in wanted]
        if not any(occur == Occur.Must for occur, _ in clauses):
            clauses.append((Occur.Must, Query.const_score_query(Query.all_query(), 0.0)))
        return Query.boolean_query(clauses)

    def _conditions(self, query: TermQuery) -> list[Any]:
        conditions = []
        for field, values in (("site", query.sites), ("language", query.languages)):
            if values:
                conditions.append(Query.boolean_query([(Occur.Should, self._term(field, value)) for value in values]))
        if query.since is not None:
            conditions.append(
                Query.range_query(
                    self._schema, "fetched_at", tantivy.FieldType.Integer, lower_bound=int(query.since)
                )
            )
        return conditions

    def _any_of(self, required: Iterable[Words], boosts: Boosts) -> Any | None:
        wanted = [self._everywhere(words, boosts) for words in required]
        clauses = [(Occur.Should, words) for words in wanted if words is not None]
        return Query.boolean_query(clauses) if clauses else None

    def _everywhere(self, words: Words, boosts: Boosts) -> Any | None:
        """Words in any of their fields, in any language; None if they are no words, or no field of theirs counts.

        A field that was asked for by name is searched also if it adds nothing to the score.
        """
        clauses = []
        for field in (words.field,) if words.field else TEXT_FIELDS:
            boost = boosts.get(field)
            if boost is None or (boost <= 0 and not words.field):
                continue
            for language in (UNSTEMMED,) if field == "url" else (*self._languages, UNSTEMMED):
                found = self._words_in(words, self._field(field, language), language)
                if found is not None:
                    clauses.append((Occur.Should, Query.boost_query(found, boost)))
        return Query.boolean_query(clauses) if clauses else None

    def _words_in(self, words: Words, name: str, language: str) -> Any | None:
        analyzer = self._analyzers[language if language in self._languages else UNSTEMMED]
        tokens = analyzer.analyze(prepared(words.text))
        if not tokens:
            return None
        if len(tokens) == 1:
            return self._term(name, tokens[0])
        if name.startswith("rest_"):  # has no positions
            if words.is_phrase:
                return None
            return Query.boolean_query([(Occur.Must, self._term(name, token)) for token in tokens])
        return Query.phrase_query(self._schema, name, tokens)

    def _among(self, pages: Sequence[int]) -> Any:
        return Query.term_set_query(self._schema, "page", list(pages))

    def _term(self, field: str, value: str) -> Any:
        return Query.term_query(self._schema, field, value)

    def _field(self, field: str, language: str) -> str:
        if field == "url":
            return field
        return f"{field}_{language if language in self._languages else UNSTEMMED}"


def _schema(languages: Iterable[str]) -> Any:
    builder = SchemaBuilder()
    builder.add_unsigned_field("page", indexed=True, fast=True)
    builder.add_unsigned_field("fingerprint", fast=True)
    builder.add_integer_field("fetched_at", fast=True, indexed=True)
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("site", tokenizer_name="raw", index_option="basic")
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


def _repeats(weight: int) -> int:
    """How often a text that stands on so many pages is counted: the second page says less than the first."""
    return min(1 + int(log2(max(weight, 1))), _MOST_REPEATS)


def _sites(url: str, host: str, site: str) -> list[str]:
    """What `site:` can name: the host and the domains it is part of, the folders of the URL and the URL itself."""
    authority = host.partition("://")[2]
    name = authority.rpartition(":")[0] if authority.rpartition(":")[2].isdigit() else authority
    found = [authority, name]
    labels = name.split(".")
    found += [".".join(labels[start:]) for start in range(1, len(labels))]
    found = [each for each in found if each in (authority, name) or each == site or each.endswith(f".{site}")]
    folders = url.partition("://")[2].partition("?")[0].rstrip("/").split("/")[1:]
    for depth in range(1, min(len(folders), _SITE_DEPTH) + 1):
        found += ["/".join([start, *folders[:depth]]) for start in (authority, name)]
    return list(dict.fromkeys(found))


def _url_words(url: str) -> str:
    return unquote(url.partition("://")[2])


def _pieces(fragment: str, matches: list[tuple[int, int]]) -> tuple[tuple[str, bool], ...]:
    """Matches are in bytes of UTF-8, and may overlap. An accent or vowel sign goes with the letter before it."""
    if not matches:
        return ()
    raw = fragment.encode()
    pieces: list[tuple[str, bool]] = []
    end = 0
    for start, stop in [*sorted(matches), (len(raw), len(raw))]:
        if start < end:
            continue
        between = _text(raw[end:start])
        plain = between.lstrip(_marks(between)) if pieces else between
        pieces += [(between[: len(between) - len(plain)], True), (plain, False), (_text(raw[start:stop]), True)]
        end = stop
    runs = groupby((piece for piece in pieces if piece[0]), key=itemgetter(1))
    return tuple(("".join(text for text, _ in run), is_match) for is_match, run in runs)


def _marks(text: str) -> str:
    return "".join(sign for sign in text if unicodedata.category(sign).startswith("M"))


def _text(raw: bytes) -> str:
    return restored(raw.decode("utf-8", "replace"))
