"""Prepares hits for display: titles, snippets and the parts of their scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from hinterland.crawler.urls.hosts import site_of
from hinterland.search.answers import Fragment, Hit, ScorePart
from hinterland.search.grouping import BLOCK, last_of_sites, spread_in_blocks
from hinterland.search.index.opened_index import OpenedIndex
from hinterland.search.index.retrieval import Retrieved
from hinterland.search.index.scoring import Scoring
from hinterland.search.ranking import RankedHits
from hinterland.search.sections import Section, best_section, from_stored
from hinterland.search.store.document_store import DocumentStore
from hinterland.search.store.indexed_text import sites_of
from hinterland.search.store.query_builder import FIELDS, HOME_PAGE, NEARNESS
from hinterland.search.store.query_matches import QueryMatches
from hinterland.search.store.values.documents import IndexedDocument
from hinterland.search.store.values.term_query import NAMES, WORDS, TermQuery

SNIPPET_CHARACTERS: Final = 240
"""Length of a snippet: two or three lines."""
_TITLE_CHARACTERS: Final = 300
_WINDOW_CHARACTERS: Final = 16_000
_WINDOWS: Final = 8


class HitView:
    """Prepares the hits of an index for display."""

    def __init__(
        self, opened: OpenedIndex, scoring: Scoring, documents: DocumentStore, *, marks_titles: bool = True
    ) -> None:
        """Start with an open index; `documents` holds the texts of its pages.

        With `marks_titles`, the words of the query are marked in titles.
        """
        self._opened = opened
        self._scoring = scoring
        self._documents = documents
        self._marks_titles = marks_titles

    def shown(self, found: Retrieved, offset: int, limit: int, *, explain: bool, is_grouped: bool) -> tuple[Hit, ...]:
        """Return the hits from `offset` on, at most `limit`.

        Raises DocumentsUnreadable.
        """
        if offset >= len(found.hits.pages):
            return ()
        places, followed = self._places(found, offset, limit, is_grouped=is_grouped)
        shown = self.hits_at(found, places, explain=explain)
        return tuple(replace(hit, is_last_of_site=place in followed) for place, hit in shown)

    def hits_at(self, found: Retrieved, places: Sequence[int], *, explain: bool) -> list[tuple[int, Hit]]:
        """Return (position, hit) for the hits at these positions.

        Raises DocumentsUnreadable.
        """
        terms, hits = found.terms, found.hits
        pages = [int(hits.pages[place]) for place in places]
        documents = self._documents.documents(pages)
        by_field = self._by_field(terms, pages) if explain else {}
        incomplete = [page for place, page in zip(places, pages, strict=True) if place >= found.complete]
        lacking = self._lacking(terms, incomplete)
        matches = self._opened.terms.matches_of(terms)
        shown = []
        for place, page in zip(places, pages, strict=True):
            document = documents.get(page)
            if document is not None:
                rules = self._scoring.rules.of(sites_of(document.url, document.host, site_of(document.host)))
                parts = self._parts(hits, place, by_field.get(page), rules)
                shown.append((place, self._hit(matches, document, parts, lacking.get(page, ()))))
        return shown

    def _places(self, found: Retrieved, offset: int, limit: int, *, is_grouped: bool) -> tuple[list[int], set[int]]:
        """Return the positions of the hits to show, best first, and a set of some of these positions.

        The set contains the last shown hit of each site that has further hits.
        """
        end = min(offset + limit, len(found.hits.pages))
        if not is_grouped:
            return list(range(offset, end)), set()
        begin = offset // BLOCK * BLOCK
        pages = [int(page) for page in found.hits.pages[begin:]]
        hosts = self._documents.hosts(pages)
        sites = [site_of(hosts.get(page, "")) for page in pages]
        order = spread_in_blocks(sites, found.complete - begin)
        shown = order[offset - begin : end - begin]
        last = last_of_sites(sites, shown, order[end - begin :])
        return [begin + place for place in shown], {begin + place for place in last}

    def _hit(
        self,
        matches: QueryMatches,
        document: IndexedDocument,
        parts: Sequence[ScorePart],
        lacks: tuple[str, ...],
    ) -> Hit:
        def highlighted(text: str, field: str, most: int | None = None) -> tuple[Fragment, ...]:
            pieces = matches.highlighted(text, field, document.language, most)
            return tuple(Fragment(text, is_match) for text, is_match in pieces)

        title = _cut(document.title, _TITLE_CHARACTERS)
        size = SNIPPET_CHARACTERS
        section, below = _section(matches, document)
        passages = (highlighted(part, "body", size) for part in _windows(below))
        snippet = next(filter(None, passages), ())
        if not snippet and section is None:
            snippet = highlighted(document.description, "description", size)
            below = document.description or below
        return Hit(
            page=document.page,
            url=document.url,
            title=(self._marks_titles and highlighted(title, "title")) or _plain(title),
            snippet=snippet or _plain(_beginning(below, size)),
            host=document.host,
            language=document.language,
            fetched_at=document.fetched_at,
            score=sum(part.value for part in parts),
            parts=tuple(parts),
            copies=len(document.copies),
            lacks=lacks,
            dated=document.dated,
            site=site_of(document.host),
            section="" if section is None else _cut(section.heading, _TITLE_CHARACTERS),
            anchor="" if section is None else section.anchor,
        )

    def _parts(
        self,
        hits: RankedHits,
        place: int,
        by_field: dict[str, float] | None,
        rules: Sequence[tuple[str, float]],
    ) -> list[ScorePart]:
        added = sum(add for _, add in rules)
        text = float(hits.text_scores[place]) - self._scoring.rules.taken_away - added
        rank = float(hits.rank_parts[place])
        of_sites = [
            ScorePart("site rule", add, f"rule for {site} in the file search.site_rules") for site, add in rules
        ]
        detail = self._rank_detail(float(hits.ranks[place]))
        if by_field is None:
            return [ScorePart("text", text, "BM25"), ScorePart("rank", rank, detail), *of_sites]
        parts = [ScorePart(name, score, self._detail(name)) for name, score in sorted(by_field.items(), key=_by_value)]
        rounding = ScorePart("rounding", text - sum(by_field.values()), "from 32-bit sums")
        return [*parts, ScorePart("rank", rank, detail), *of_sites, rounding]

    def _detail(self, name: str) -> str:
        if name == HOME_PAGE:
            return "a page of the site that the query names, or its home page"
        if name == NEARNESS:
            return "words of the query near each other, 0.35 times their BM25 as a phrase"
        boost = f"times {self._scoring.boosts[name]:g}"
        if name == NAMES:
            fields = "title, headings, links, address and description"
            return f"BM25 in {fields}, more for all words in a title or in a row, {boost}"
        if name == WORDS:
            return f"BM25 in the main content and the texts that name the page, {boost}"
        return f"BM25, {boost}" if name == "rest" else f"identifiers as they are spelt, {boost}"

    def _rank_detail(self, rank: float) -> str:
        source, weights = self._scoring.rank_source, self._scoring.weights
        if not len(self._opened.ranks):
            return "PageRank is switched off" if source == "none" else "the index has no PageRank"
        whose = "in the whole web" if source == "web" else "within the site"
        return (
            f"PageRank {whose}, S = {rank:.3g} times the average:"
            f" {weights.weight:g} S^a / ({weights.half:g}^a + S^a), a = {weights.exponent:g}"
        )

    def _lacking(self, terms: TermQuery, pages: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Return the words of the query that each of these pages lacks.

        Only words that a hit may lack are checked.
        """
        if not pages:
            return {}
        asked = [words for words in terms.required if words.may_lack]
        having = self._opened.terms.words_of(pages, asked, self._scoring.boosts)
        return {
            page: tuple(words.label for place, words in enumerate(asked) if place not in having[page]) for page in pages
        }

    def _by_field(self, terms: TermQuery, pages: Sequence[int]) -> dict[int, dict[str, float]]:
        found: dict[int, dict[str, float]] = {page: {} for page in pages}
        for field, boost in self._scoring.boosts.items():
            for page, score in self._opened.terms.scores_of(terms, {field: boost}, pages, FIELDS).items():
                if score:
                    found[page][field] = score
        boosts = self._scoring.boosts
        for part in (NEARNESS, HOME_PAGE):
            for page, score in self._opened.terms.scores_of(terms, boosts, pages, part).items():
                if score:
                    found[page][part] = score
        return found


def _section(matches: QueryMatches, document: IndexedDocument) -> tuple[Section | None, str]:
    """Return the section of a document that answers a query best, and its text below the heading.

    If the beginning of the document answers best, returns None and the whole text.
    """
    text, sections = document.text, from_stored(document.sections)
    words = matches.beginnings(document.language)
    place = best_section(text, sections, document.title, words)
    if place is None:
        return None, text
    begin, end = sections[place].offset, sections[place + 1].offset if place + 1 < len(sections) else len(text)
    _, _, below = text[begin:end].partition("\n\n")
    return sections[place], below or text[begin:end]


def _by_value(part: tuple[str, float]) -> float:
    return -part[1]


def _windows(text: str) -> Iterator[str]:
    """Yield a long text in windows.

    The snippet comes from the first window with a matching passage, so long texts need not be searched to the end.
    """
    for start in range(0, min(len(text), _WINDOWS * _WINDOW_CHARACTERS), _WINDOW_CHARACTERS):
        yield text[start : start + _WINDOW_CHARACTERS]


def _plain(text: str) -> tuple[Fragment, ...]:
    return (Fragment(text, False),) if text else ()


def _beginning(text: str, size: int) -> str:
    return _cut(" ".join(text[: 4 * size].split()), size)


def _cut(text: str, size: int) -> str:
    """Return at most `size` characters of a text.

    The cut is between words unless a word is very long or its script has no spaces.
    """
    if len(text) <= size:
        return text
    words = text[:size].rpartition(" ")[0]
    return f"{words} …" if len(words) > size // 2 else f"{text[:size]}…"
