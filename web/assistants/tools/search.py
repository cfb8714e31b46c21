"""`search`: the pages that match a query best."""

from __future__ import annotations

from collections.abc import Container
from typing import Annotated, Final, Literal

from msgspec import Meta

from hinterland.search.answers import MOST_OFFSET, Hit
from hinterland.web.assistants.asked_stores import AskedStore, AskedStores
from hinterland.web.assistants.bounding import fitting
from hinterland.web.assistants.tool import Tool
from hinterland.web.assistants.values import Answer, Arguments, NextAfter, PageFacts, StoreName, utc

_LONGEST_QUERY: Final = 500
_MOST_HITS: Final = 20


class SearchArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of `search`."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=_LONGEST_QUERY,
            description='Words, or a question. Also "a phrase", -word, site:example.org, title:word, url:word, lang:de,'
            " since:2026-03, type:pdf, a OR b.",
        ),
    ]
    store: StoreName = ""
    limit: Annotated[int, Meta(ge=1, le=_MOST_HITS, description="Maximum number of hits.")] = 8
    after: Annotated[
        int, Meta(ge=0, le=MOST_OFFSET, description="Hits to skip: next_after of the previous answer.")
    ] = 0
    order: Annotated[Literal["", "date"], Meta(description='"" for the best first, "date" for the latest first.')] = ""


class FoundPage(PageFacts, frozen=True, kw_only=True):
    """A page that matches."""

    store: str
    snippet: Annotated[str, Meta(description="Empty if its site disallows input of AI systems.")]
    section: Annotated[
        str, Meta(description="The heading of the section that answers best, as read_page takes it; or empty.")
    ]
    anchor: Annotated[str, Meta(description="What follows # in the URL of that section; or empty.")]
    dated: Annotated[str | None, Meta(description="The date that the page or its server gives, in UTC.")]
    language: str
    copies: Annotated[int, Meta(description="Further URLs with the same content.")]
    lacks: Annotated[tuple[str, ...], Meta(description="Words of the query that the page lacks.")]


class SearchHits(Answer, frozen=True, kw_only=True):
    """Pages that match, the best first."""

    hits: tuple[FoundPage, ...]
    total: Annotated[int, Meta(description="How many pages match.")]
    other_queries: Annotated[tuple[str, ...], Meta(description="Other spellings that find more.")]
    next_after: NextAfter


def _answer(stores: AskedStores, asked: SearchArguments) -> SearchHits:
    chosen = stores.chosen(asked.store)
    limit = min(asked.limit, MOST_OFFSET + _MOST_HITS - asked.after)
    answer, problems = stores.search(asked.store, asked.query, limit=limit, offset=asked.after, order=asked.order)
    homes = [stores.of_hit(hit.store) if hit.store else chosen[0] for hit in answer.hits]
    withheld = {home.name: _withheld(home) for home in dict.fromkeys(homes)}
    found = [_found(home, hit, hit.page in withheld[home.name]) for home, hit in zip(homes, answer.hits, strict=True)]
    hits = tuple(fitting(found))
    shown = asked.after + len(hits)
    rescue = answer.rescue
    corrected = [rescue.corrected] if rescue is not None and rescue.corrected else []
    others = [] if rescue is None else [*corrected, *(each.query for each in (*rescue.corrections, *rescue.wider))]
    return SearchHits(
        store=asked.store or (chosen[0].name if len(chosen) == 1 else ""),
        notes=(*answer.notes, *problems, *([f"results for {corrected[0]!r}"] if corrected else [])),
        hits=hits,
        total=answer.total,
        other_queries=tuple(dict.fromkeys(others))[:5],
        next_after=shown if hits and shown < min(answer.total, MOST_OFFSET + 1) else None,
    )


def _withheld(home: AskedStore) -> Container[int]:
    """Return the pages whose sites do not allow their text to be given to AI systems."""
    with home.reading() as store:
        return home.withheld(store)


def _found(home: AskedStore, hit: Hit, is_withheld: bool) -> FoundPage:
    return FoundPage(
        url=hit.url,
        title=hit.title_text,
        fetched=utc(hit.fetched_at),
        rank=home.rank_of(hit.page),
        store=home.name,
        snippet="" if is_withheld else hit.snippet_text,
        section="" if is_withheld else hit.section,
        anchor="" if is_withheld else hit.anchor,
        dated=utc(hit.dated),
        language=hit.language,
        copies=hit.copies,
        lacks=hit.lacks,
    )


SEARCH: Final = Tool(
    title="Search the crawled sites",
    description="Find pages of the crawled sites by words or a question: titles, snippets, URLs, dates and ranks."
    " Begin here, then read_page.",
    arguments=SearchArguments,
    answers=SearchHits,
    answer=_answer,
)
