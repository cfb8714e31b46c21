"""Whether headings are found if their compounds are typed in parts, and their nouns without particles or with others.

    python -m benchmarks.word_parts nl /usr/share/doc/installation-guide-amd64/nl

The folder has HTML pages in one language (da, de, fi, ko, nl, no or sv), such as those of the Debian package
installation-guide-amd64. A query is one of the first three headings of a page, as it is or changed; the page is the
right answer. Each query is asked twice: its words stand only for themselves, or for all that docs/search.md says.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.scoring import BOOSTS
from hinterland.search.store.fields import UNSTEMMED, IndexFields
from hinterland.search.store.indexed_text import IndexedText
from hinterland.search.store.related_terms import splitter_of
from hinterland.search.store.term_index import TermIndex
from hinterland.search.store.values.term_query import WORDS, QueryTerm, TermQuery
from hinterland.search.word_forms.particles import is_korean, may_have_particles, nouns_of
from hinterland.search.word_forms.splitting import LEAST_PART

HITS: Final = 10
_HEADINGS: Final = 3
_MOST_WORDS: Final = 6
_AT: Final = "http://a.example"
_NUMBER: Final = re.compile(r"^[\W\d]*\w?[\d.]+\s")


def main() -> None:
    """Print a line for each kind of query."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    pages = [_page(path) for path in sorted(given.folder.glob("*.html"))]
    with tempfile.TemporaryDirectory() as folder:
        index = _indexed(IndexFolder(Path(folder)), given.language, pages)
        asked = dict.fromkeys((number, each) for number, (headings, _) in enumerate(pages) for each in _short(headings))
        for kind, changed in _changes(index, given.language).items():
            changes = [(page, heading, changed(heading)) for page, heading in asked]
            queries = [(page, query) for page, heading, query in changes if query != heading or changed is str]
            figures = [_measured(index, queries, is_literal=is_literal) for is_literal in (True, False)]
            print(
                f"{given.language} {kind}: {len(queries)} queries, alone {figures[0]}, with related words {figures[1]}"
            )


def _changes(index: TermIndex, language: str) -> dict[str, Callable[[str], str]]:
    """Return what is done to headings, by its name."""
    if language == "ko":
        return {"as they are": str, "without particles": partial(_bare, index), "with 을, 를": partial(_with, index)}
    return {"as they are": str, "in parts": partial(_in_parts, index, language)}


def _page(path: Path) -> tuple[list[str], str]:
    """Return the headings of a page, without their numbers, and its text."""
    tree = LexborHTMLParser(path.read_bytes())
    headings = [_NUMBER.sub("", " ".join(each.text().split())) for each in tree.css("h1, h2, h3")]
    return headings, tree.body.text(separator=" ") if tree.body is not None else ""


def _short(headings: Sequence[str]) -> Iterator[str]:
    for heading in headings[:_HEADINGS]:
        words = re.findall(r"\w+", heading)
        if 0 < len(words) <= _MOST_WORDS:
            yield " ".join(words)


def _indexed(folder: IndexFolder, language: str, pages: Sequence[tuple[Sequence[str], str]]) -> TermIndex:
    folder.terms.mkdir()
    index = TermIndex.create(folder.terms, [language])
    index.write(
        IndexedText(
            page=number,
            fingerprint=0,
            language=language,
            fetched_at=0.0,
            url=f"{_AT}/{number}",
            host=_AT,
            site="a.example",
            texts=[*(("headings", heading, 1) for heading in headings), ("body", text, 1)],
        )
        for number, (headings, text) in enumerate(pages)
    )
    index.close()
    compounds = index.find_compounds()
    folder.write_compounds(compounds)
    known = folder.read_compounds()
    return TermIndex.open(folder.terms, list(compounds), lambda: known)


def _in_parts(index: TermIndex, language: str, heading: str) -> str:
    """Return a heading with its compounds of two parts written as two words."""
    fields = IndexFields([language])
    splitter = splitter_of(language, fields, partial(index.statistics.having, f"{WORDS}_{language}"))
    found = list[str]()
    for word in heading.split():
        terms = fields.tokens(word, language)
        parts = list(splitter.parts(word.lower(), terms[0])) if len(terms) == 1 else []
        places = range(LEAST_PART, len(word) - LEAST_PART + 1)
        halves = ((word[:place], word[place:]) for place in places)
        fitting = (each for each in halves if [fields.tokens(half, language)[0] for half in each] == parts)
        found += next(fitting, (word,))
    return " ".join(found)


def _bare(index: TermIndex, heading: str) -> str:
    """Return a heading with nouns of the index in place of the same nouns with particles."""
    return " ".join(
        next((noun for noun in nouns_of(word) if index.statistics.having(f"{WORDS}_{UNSTEMMED}", noun)), word)
        for word in heading.split()
    )


def _with(index: TermIndex, heading: str) -> str:
    """Return a heading with a particle after each word that the index has."""
    found = []
    for word in heading.split():
        particle = next((each for each in "을를" if may_have_particles(word, each)), "") if is_korean(word) else ""
        found.append(word + particle if index.statistics.having(f"{WORDS}_{UNSTEMMED}", word) else word)
    return " ".join(found)


def _measured(index: TermIndex, queries: Sequence[tuple[int, str]], *, is_literal: bool) -> str:
    ranks = []
    for page, query in queries:
        words = tuple(QueryTerm(word, is_literal=is_literal) for word in dict.fromkeys(query.split()))
        hits = index.best(TermQuery(words, least_words=1), BOOSTS, HITS).pages.tolist()
        ranks.append(1 / (1 + hits.index(page)) if page in hits else 0.0)
    every = max(len(ranks), 1)
    return f"MRR {sum(ranks) / every:.3f}, first {HITS} {sum(map(bool, ranks)) / every:.3f}"


if __name__ == "__main__":
    main()
