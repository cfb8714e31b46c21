"""A question to the terms of an index, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

DEFINITIONS: Final = "definitions"
"""Names that a page defines: they are looked for as they are spelt, and their parts are not words of this field."""
WORD_FIELDS: Final = ("title", "headings", "anchors_outside", "anchors_inside", "url", "description", "body", "rest")
"""The fields that words are looked for in. `rest` is all visible text: what is in no other field is found there."""
ANCHORS: Final = ("anchors_outside", "anchors_inside")
TEXT_FIELDS: Final = (*WORD_FIELDS, DEFINITIONS)
"""All that a text score is made of."""

SITE_DEPTH: Final = 6
"""So many folders of a URL can be named as a site."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One or several words in a row. Text that is written together, such as "str.join", is a row, too."""

    text: str
    field: str = ""
    """Only there; "" for all."""
    is_phrase: bool = False
    """Asked for word by word: not looked for in `rest`, which does not know what stands beside what."""
    spelling: str = ""
    """Of a name of code or an option, see `spellings`: pages that have it so come first."""
    others: tuple[QueryTerm, ...] = ()
    """Any of these will do as well."""

    @property
    def may_lack(self) -> bool:
        """A page may lack it if few have all: nobody insisted."""
        return not self.field and not self.is_phrase and all(each.may_lack for each in self.others)

    @property
    def label(self) -> str:
        """As it may be shown."""
        return " OR ".join((self.text, *(each.text for each in self.others)))


@dataclass(frozen=True, slots=True)
class TermQuery:
    """What a page must have, and must not have, to be found."""

    required: tuple[QueryTerm, ...] = ()
    excluded: tuple[QueryTerm, ...] = ()
    sites: tuple[str, ...] = ()
    """Host names, registrable domains or beginnings of URLs without their scheme; one of them must hold."""
    excluded_sites: tuple[str, ...] = ()
    raised_sites: tuple[tuple[str, float], ...] = ()
    """What is added to the text scores of the pages of a site; below 0: its opposite, to those of all others."""
    languages: tuple[str, ...] = ()
    """Primary tags; one of them must hold."""
    since: float | None = None
    """Dated at that time or later, epoch seconds; of pages that bear no date, fetched."""
    types: tuple[str, ...] = ()
    """Sorts of documents, such as "pdf"; one of them must hold."""
    years: tuple[int, ...] = ()
    """One of them must be that of the date."""
    least_relevance: float | None = None
    """To the topic of the store."""
    least_words: int | None = None
    """So many of those `required` that a page may lack are enough; None: all."""
    excluded_pages: tuple[int, ...] = ()


Boosts = Mapping[str, float]
"""Field -> the factor of its BM25 score."""


@dataclass(frozen=True, slots=True)
class FieldCounts:
    """How many documents have which value of a field. values: those that most have first, then in their order; others:
    how many times a document has one that is left out.
    """

    values: Sequence[tuple[str, int]]
    others: int


@dataclass(frozen=True, slots=True)
class TextHits:
    """The best documents by their text, best first; parallel arrays."""

    pages: NDArray[np.int64]
    scores: NDArray[np.float64]
    total: int
    """How many match."""
