"""A query to the term index, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

DEFINITIONS: Final = "definitions"
"""The field of names that a page defines. They are matched as spelt; their parts are not words of this field."""
WORD_FIELDS: Final = ("title", "headings", "anchors_outside", "anchors_inside", "url", "description", "body", "rest")
"""The texts of a document. `rest` holds the words of the visible text outside the main content."""
ANCHORS: Final = ("anchors_outside", "anchors_inside")
SPELT_FIELDS: Final = (*WORD_FIELDS, DEFINITIONS)
"""The texts in which identifiers are found as they are spelt."""
WORDS: Final = "words"
"""The field of all texts but `rest`, see `combined_field`."""
NAMES: Final = "names"
"""The field of the texts that name a page, without its main content."""
TEXT_FIELDS: Final = (WORDS, NAMES, *SPELT_FIELDS)
"""The fields that contribute to text scores: the first two and `rest` by words, all others by identifiers only."""

SITE_DEPTH: Final = 6
"""Maximum number of folders of a URL that a site can name."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One word or several consecutive words.

    Text without spaces, such as "str.join", may be several words, too.
    """

    text: str
    field: str = ""
    """The only field to search; "" stands for all."""
    is_phrase: bool = False
    """Whether the words have to be adjacent. `rest` has no positions and is not searched then."""
    spelling: str = ""
    """The spelling of an identifier or option, see `spellings`: pages that contain it come first."""
    others: tuple[QueryTerm, ...] = ()
    """Alternatives: a page needs only the word or one of these."""
    is_prefix: bool = False
    """Whether it stands for all words, or all names, that begin with it."""
    is_required: bool = False
    """Whether every hit must have it, even if few pages do."""
    is_literal: bool = False
    """Whether it stands only for itself, and not for compounds with it or for forms with particles."""
    member: tuple[str, str] | None = None
    """(class or module, member) for a name such as `String#gsub`: pages about the class or module that define the
    member are found, even if no page has the name as spelt.
    """

    @property
    def may_lack(self) -> bool:
        """Whether pages without the term may be hits if few pages have all words."""
        is_strict = self.field or self.is_phrase or self.is_required
        return not is_strict and all(each.may_lack for each in self.others)

    @property
    def label(self) -> str:
        """The text in the form in which it is shown to users."""
        text = f"{self.text}*" if self.is_prefix else self.text
        return " OR ".join((text, *(each.label for each in self.others)))


@dataclass(frozen=True, slots=True)
class TermQuery:
    """What a page must and must not have to match."""

    required: tuple[QueryTerm, ...] = ()
    excluded: tuple[QueryTerm, ...] = ()
    sites: tuple[str, ...] = ()
    """Host names, registrable domains or beginnings of URLs without their scheme; one of them must match."""
    excluded_sites: tuple[str, ...] = ()
    raised_sites: tuple[tuple[str, float], ...] = ()
    """(site, what is added to the text scores of its pages). A negative value is instead added to all other pages, with
    its sign reversed.
    """
    languages: tuple[str, ...] = ()
    """Primary tags; one of them must match."""
    since: float | None = None
    """Earliest date in epoch seconds; for pages without a date, the earliest visit."""
    types: tuple[str, ...] = ()
    """Document types, such as "pdf"; one of them must match."""
    years: tuple[int, ...] = ()
    """Years of the date; one of them must match."""
    least_relevance: float | None = None
    """Minimum relevance to the topic of the store."""
    function_words: tuple[str, ...] = ()
    """Words of a sentence that were left out of `required`, such as "how" and "the"."""
    least_words: int | None = None
    """How many of the `required` words that a hit may lack must be present; None means all."""
    is_soft: bool = False
    """Whether words that occur only outside the main content are ignored."""
    excluded_pages: tuple[int, ...] = ()


Boosts = Mapping[str, float]
"""The factor of each field's score: of BM25 for WORDS, NAMES and `rest`, and of the weight of an identifier for others.
"""


@dataclass(frozen=True, slots=True)
class FieldCounts:
    """The number of documents for each value of a field.

    `values` is in descending order of frequency, ties by value. `others` counts the occurrences of the values that are
    left out.
    """

    values: Sequence[tuple[str, int]]
    others: int


@dataclass(frozen=True, slots=True)
class TextHits:
    """The best documents by text, best first; parallel arrays."""

    pages: NDArray[np.int64]
    scores: NDArray[np.float64]
    total: int
    """Number of matches."""
