"""Selects the passage of a text that matches a query best, and highlights the matches."""

from __future__ import annotations

import unicodedata
from itertools import groupby, takewhile
from operator import itemgetter
from typing import Any

from tantivy import Document

from hinterland.search.store.letters import plain_letters_with_places
from hinterland.search.store.term_text import composed, prepared, restored

Pieces = tuple[tuple[str, bool], ...]
"""Consecutive (text, whether it is a match)."""


def highlight(generator: Any, name: str, text: str, most_characters: int | None) -> Pieces:
    """Return the best passage of a text, or nothing without a match. The text is analysed like the field `name`.

    `generator` is tantivy's generator of snippets for a query in that field. `most_characters` is the approximate
    length of the passage; None selects the whole text.
    """
    ready = prepared(text)
    size = len(ready) if ready.isascii() else len(ready.encode())
    generator.set_max_num_chars(  # counts bytes, despite its name
        size + 1 if most_characters is None else max(most_characters * size // len(text), 1)
    )
    document = Document()
    document.add_text(name, ready)
    snippet = generator.snippet_from_doc(document)
    passage, matches = snippet.fragment(), [(part.start, part.end) for part in snippet.highlighted()]
    if most_characters is None and matches:  # a passage ends with a word and may omit a full stop
        before, _, after = ready.partition(passage)
        start = len(before.encode())
        passage, matches = before + passage + after, [(start + left, start + right) for left, right in matches]
    return _as_written(_pieces(passage, matches), text)


def _pieces(fragment: str, matches: list[tuple[int, int]]) -> Pieces:
    """Split a passage at its matches.

    Matches are byte ranges of UTF-8 and may overlap. Combining marks stay with the preceding letter.
    """
    if not matches:
        return ()
    raw = b"" if fragment.isascii() else fragment.encode()
    pieces: list[tuple[str, bool]] = []
    end, last = 0, len(raw or fragment)
    for start, stop in [*sorted(matches), (last, last)]:
        if start < end:
            continue
        if not raw:
            pieces += [(fragment[end:start], False), (fragment[start:stop], True)]
        else:
            between = _text(raw[end:start])
            plain = _without_marks(between) if pieces else between
            pieces += [(between[: len(between) - len(plain)], True), (plain, False), (_text(raw[start:stop]), True)]
        end = stop
    runs = groupby((piece for piece in pieces if piece[0]), key=itemgetter(1))
    return tuple(("".join(text for text, _ in run), is_match) for is_match, run in runs)


def _as_written(pieces: Pieces, text: str) -> Pieces:
    """Return the pieces with their letters as they are written in the text, which is composed."""
    if text.isascii():
        return pieces
    passage = "".join(piece for piece, _ in pieces)
    text = text if passage in text else composed(text)
    if passage in text:
        return pieces
    plain, places = plain_letters_with_places(text)
    start = plain.find(passage)
    if start < 0:
        return pieces
    found = list[tuple[str, bool]]()
    for piece, is_match in pieces:
        end = start + len(piece)
        found.append((text[places[start] : places[end]], is_match))
        start = end
    return tuple(found)


def _without_marks(text: str) -> str:
    """Return the text without leading combining marks."""
    signs = sum(1 for _ in takewhile(lambda sign: unicodedata.category(sign).startswith("M"), text))
    return text[signs:]


def _text(raw: bytes) -> str:
    return restored(raw.decode("utf-8", "replace"))
