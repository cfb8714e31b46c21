"""The passage of a text that answers a query best, with its matches marked."""

from __future__ import annotations

import unicodedata
from itertools import groupby, takewhile
from operator import itemgetter

import tantivy
from tantivy import Document, Query

from hinterland.search.store.fields import IndexFields
from hinterland.search.store.term_text import prepared, restored

Pieces = tuple[tuple[str, bool], ...]
"""(text, is it a match), one after the other."""


def highlight(
    searcher: tantivy.Searcher, query: Query, fields: IndexFields, name: str, text: str, most_characters: int | None
) -> Pieces:
    """The best passage of a text as that of the field `name`; empty if nothing in it matches.

    most_characters: about the length of the passage; None: all of the text.
    """
    generator = tantivy.SnippetGenerator.create(searcher, query, fields.schema, name)
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


def _pieces(fragment: str, matches: list[tuple[int, int]]) -> Pieces:
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
        plain = _without_marks(between) if pieces else between
        pieces += [(between[: len(between) - len(plain)], True), (plain, False), (_text(raw[start:stop]), True)]
        end = stop
    runs = groupby((piece for piece in pieces if piece[0]), key=itemgetter(1))
    return tuple(("".join(text for text, _ in run), is_match) for is_match, run in runs)


def _without_marks(text: str) -> str:
    """The text from its first sign on that is not one of those that go with the letter before."""
    signs = sum(1 for _ in takewhile(lambda sign: unicodedata.category(sign).startswith("M"), text))
    return text[signs:]


def _text(raw: bytes) -> str:
    return restored(raw.decode("utf-8", "replace"))
