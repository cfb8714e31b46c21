"""The API: what the pages of the site show, as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web

from hinterland.library.page_numbers import number_of
from hinterland.library.text.limits_text import told_now
from hinterland.search.answers import MOST_HITS, MOST_OFFSET, ORDERS, QueryError
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.hosts import HOST_ORDERS, Host
from hinterland.storage.values.runs import RunState, state_of
from hinterland.web import api_lists, parameters
from hinterland.web.api_answers import EstimatesAnswer, HostAnswer, HostsAnswer, PageAnswer, StatusAnswer
from hinterland.web.documented_query import keeping_to_document
from hinterland.web.host_pages import number_of_host
from hinterland.web.openapi import MAX_HOSTS, MAX_LINKS, document
from hinterland.web.page_view import copies_of, ranked_pages, ranking_of, whole_page
from hinterland.web.parameters import BadParameter
from hinterland.web.search_page import search
from hinterland.web.site import SITE, json_answer, value_answer

_COPIES = 100


async def get_search(request: web.Request) -> web.Response:
    """Return the pages that match a query best."""
    query = parameters.text(request.query, "q", parameters.MAX_QUERY)
    if not query.strip():
        raise BadParameter("q is missing: name what to search for")
    limit = parameters.number(request.query, "limit", 10, 1, MOST_HITS)
    offset = parameters.number(request.query, "offset", 0, highest=MOST_OFFSET)
    explain = parameters.flag(request.query, "explain")
    how = {
        "grouped": parameters.flag(request.query, "grouped"),
        "order": parameters.choice(request.query, "order", ORDERS, ""),
        "verbatim": parameters.flag(request.query, "verbatim"),
        "with_facets": parameters.flag(request.query, "facets"),
    }
    try:
        return value_answer(await search(request.app[SITE], query, limit=limit, offset=offset, explain=explain, **how))
    except QueryError as error:
        raise BadParameter(str(error)) from error


async def get_page(request: web.Request) -> web.Response:
    """Return one page."""
    site = request.app[SITE]
    number, url = _named(request.query)
    limit = parameters.number(request.query, "links", 25, 1, MAX_LINKS)
    out_after = parameters.number(request.query, "out", -1, lowest=-1)
    in_after = parameters.number(request.query, "in", -1, lowest=-1)

    ranked = await site.queries.ask_seldom("ranked", ranked_pages, of_rows_alone=True)

    def question(store: StoreReader) -> PageAnswer | None:
        found = number if number >= 0 else number_of(url, store)
        if found is None:
            return None
        ranking = ranking_of(site, store, found, ranked)
        whole = whole_page(store, found, out_after=out_after, in_after=in_after, limit=limit, ranking=ranking)
        if whole is None:
            return None
        copies = copies_of(store, whole, _COPIES)
        return PageAnswer(
            page=whole.page,
            text=whole.text,
            ranks=whole.ranks,
            history=whole.history,
            refreshes=whole.refreshes,
            outlinks=whole.outlinks,
            inlinks=whole.inlinks,
            copies=copies,
        )

    answer = await site.queries.ask(question)
    if answer is None:
        raise web.HTTPNotFound(text="this page is not in the store")
    return value_answer(answer)


async def get_hosts(request: web.Request) -> web.Response:
    """Return a list of hosts."""
    site = request.app[SITE]
    order = parameters.choice(request.query, "order", HOST_ORDERS, "pages")
    part = parameters.text(request.query, "host", 200).strip().lower()
    is_all = parameters.flag(request.query, "all")
    limit = parameters.number(request.query, "limit", 50, 1, MAX_HOSTS)
    offset = parameters.number(request.query, "offset", 0, highest=1_000 * parameters.MAX_OFFSET)
    waiting = await site.queries.ask_seldom("waiting", lambda store: store.hosts.waiting(), of_rows_alone=True)

    def question(store: StoreReader) -> tuple[list[Host], int]:
        return (
            store.hosts.listed(order, offset, limit, only_visited=not is_all, part=part),
            store.hosts.count(only_visited=not is_all, part=part),
        )

    key = ("api hosts", order, part, is_all, limit, offset)
    hosts, total = await site.queries.ask_seldom(key, question, of_rows_alone=True)
    waiting_here = {str(host.number): waiting.get(host.number, 0) for host in hosts}
    return value_answer(HostsAnswer(hosts, waiting_here, offset, total))


async def get_host(request: web.Request) -> web.Response:
    """Return one host."""
    site = request.app[SITE]
    number, url = _named(request.query)

    def question(store: StoreReader) -> HostAnswer | None:
        found = number if number >= 0 else number_of_host(url, store)
        host = None if found is None else store.hosts.host(found)
        if host is None:
            return None
        return HostAnswer(host, store.hosts.robots(host.number), store.pages_of_hosts.summary(host))

    answer = await site.queries.ask_seldom(("api host", number, url), question, of_rows_alone=True)
    if answer is None:
        raise web.HTTPNotFound(text="this host is not in the store")
    return value_answer(answer)


async def get_status(request: web.Request) -> web.Response:
    """Return the status of the crawl."""
    site = request.app[SITE]

    def question(store: StoreReader) -> StatusAnswer:
        runs = store.runs.newest()
        bound = told_now(runs[0].progress) if runs and runs[0].state is RunState.RUNNING else None
        return StatusAnswer(
            store=site.store, size_bytes=store.size_bytes(), last_written=store.last_written(), time=site.now(),
            state=state_of(runs, store.holder), running_process=store.holder, bound=bound,
            pages=store.pages.counts(), failures=store.pages.failures(), slowed=store.hosts.slowed(), runs=runs,
        )  # fmt: skip

    return value_answer(await site.queries.ask_seldom("status", question))


async def get_estimates(request: web.Request) -> web.Response:
    """Return all refreshes of the estimate."""
    queries = request.app[SITE].queries
    estimates = await queries.ask_seldom("estimates", lambda store: store.ranks.estimates(), of_rows_alone=True)
    return value_answer(EstimatesAnswer(estimates))


async def get_document(request: web.Request) -> web.Response:
    """Return the OpenAPI document."""
    return json_answer(document(request.app[SITE].root))


def _named(query: Mapping[str, str]) -> tuple[int, str]:
    """Return (page or host number, URL) as requested; -1 and "" stand for a missing parameter.

    Raises BadParameter if both are missing.
    """
    number = parameters.number(query, "number", -1)
    url = parameters.text(query, "url", parameters.MAX_URL).strip()
    if number < 0 and not url:
        raise BadParameter("give a number or a url")
    return number, url


HANDLERS = {
    "search": get_search,
    "page": get_page,
    "hosts": get_hosts,
    "host": get_host,
    "status": get_status,
    "estimates": get_estimates,
    **api_lists.HANDLERS,
}
ROUTES = (
    *(web.get(f"/api/{name}", keeping_to_document(name, handler)) for name, handler in HANDLERS.items()),
    web.get("/api/openapi.json", get_document),
)
