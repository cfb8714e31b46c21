"""The search: the front page, and the page of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from aiohttp import web

from hinterland.library.patient_reading import TookTooLong
from hinterland.search.answers import ORDERS, Fragment, QueryError, SearchAnswer
from hinterland.search.index_failures import NoIndex
from hinterland.search.narrowing import narrowed, narrowed_by
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.runs import RunReport, RunState, state_of
from hinterland.web import parameters
from hinterland.web.answer_cache import AnswerPending
from hinterland.web.site import SITE, Site

_HITS = 10
_MAX_CHARACTERS = 1_000
_COUNT_SECONDS = 0.3
_LAST_OFFSET = 1_000
"""The highest offset of a page of results: higher ones take more time, and hardly anybody pages this far."""


async def front_page(request: web.Request) -> web.Response:
    """Show the front page with the search box or, with a query, its results."""
    site = request.app[SITE]
    query = request.query.get("q", "")
    if len(query) > parameters.MAX_QUERY:
        problem = f"The query has {len(query):,} characters; the limit is {parameters.MAX_QUERY}. Shorten it below."
        shown = query[: parameters.MAX_URL]
        return site.page("results.html", 400, query=shown, answer=None, problem=problem, step=_HITS)
    if query.strip():
        return await _results(request, site, query)
    runs, state, estimates = await site.queries.ask_seldom("overview", _overview)
    try:
        counts = await site.queries.ask_seldom(
            "counts", lambda store: store.pages.counts(), within=_COUNT_SECONDS, of_rows_alone=True
        )
    except (AnswerPending, TookTooLong):
        counts = None
    run = runs[0] if runs else None
    is_starting = state is RunState.STARTING
    found = {"run": run, "is_starting": is_starting, "counts": counts, "estimates": estimates}
    return site.page("home.html", query="", saved=site.saved, **found, **_beside(site))


def _beside(site: Site) -> dict[str, Any]:
    """Return template values: the other stores that are searched with this one, with the addresses of their pages."""
    others = [(each.name, site.roots[each.store]) for each in site.stores if each.path != site.path]
    return {"others": others, "is_top": not site.path}


def _overview(store: StoreReader) -> tuple[list[RunReport], RunState | None, int]:
    """Return the run to show, the state of the crawl, and the number of estimates.

    The run is the last one, or the last one that visited a page if the last one ended without a visit.
    """
    runs = store.runs.newest(1)
    state = state_of(runs, store.holder)
    if runs and runs[0].state is not RunState.RUNNING and not runs[0].progress.get("visits"):
        visited = store.runs.last_that_visited()
        runs = [visited] if visited is not None else runs
    return runs, state, len(store.ranks.estimates())


async def _results(request: web.Request, site: Site, query: str) -> web.Response:
    offset = parameters.number(request.query, "offset", 0, highest=_LAST_OFFSET)
    is_explained = parameters.flag(request.query, "explain")
    is_verbatim = parameters.flag(request.query, "verbatim")
    order = parameters.choice(request.query, "order", ORDERS, "")
    try:
        answer = await search(
            site,
            query,
            limit=_HITS,
            offset=offset,
            explain=is_explained,
            grouped=True,
            order=order,
            with_facets=True,
            verbatim=is_verbatim,
        )
    except QueryError as error:
        return site.page("results.html", 400, query=query, answer=None, problem=str(error), step=_HITS)
    except NoIndex as error:
        problem = str(error)[:1].upper() + str(error)[1:]
        return site.page("results.html", 503, query=query, answer=None, problem=problem, step=_HITS)
    try:
        own = [hit.page for hit in answer.hits if hit.store in ("", site.store)]
        kept = await site.queries.ask(lambda store: store.pages.with_bodies(own))
    except (NoStore, TookTooLong):
        kept = set()
    return site.page(
        "results.html",
        query=query,
        answer=answer,
        kept=kept,
        roots=site.roots,
        names={each.store: each.name for each in site.stores},
        own_store=site.store,
        problem="",
        is_explained=is_explained,
        order=order,
        narrowed=narrowed_by(query),
        more_from={hit.site: narrowed(query, "site", hit.site) for hit in answer.hits if hit.is_last_of_site},
        is_verbatim=is_verbatim,
        step=_HITS,
        last_offset=min(_LAST_OFFSET, max(answer.total - 1, 0) // _HITS * _HITS),
    )


async def search(site: Site, query: str, *, limit: int, offset: int, explain: bool, **how: Any) -> SearchAnswer:
    """Search in a thread; `how` holds further options of `SearchIndex.search`.

    Raises QueryError and NoIndex.
    """

    def answered() -> SearchAnswer:
        answer = site.searches.search(query, limit=limit, offset=offset, explain=explain, **how)
        hits = [replace(hit, title=_first(hit.title), snippet=_first(hit.snippet)) for hit in answer.hits]
        return replace(answer, hits=tuple(hits))

    return await site.queries.in_thread(answered)


def _first(fragments: Sequence[Fragment]) -> tuple[Fragment, ...]:
    """Return the beginning of a title or snippet that is too long for a list of results, with "…" at its end."""
    kept: list[Fragment] = []
    room = _MAX_CHARACTERS
    for fragment in fragments:
        if len(fragment.text) > room:
            return (*kept, replace(fragment, text=f"{fragment.text[:room]}…"))
        kept.append(fragment)
        room -= len(fragment.text)
    return tuple(kept)
