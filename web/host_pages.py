"""The hosts of a store: a list of them, and a page for each host with its robots.txt and its pages."""

from __future__ import annotations

from aiohttp import web

from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import host_of
from hinterland.library.patient_reading import TookTooLong
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.hosts import HOST_ORDERS, Host, HostPages, HostRobots
from hinterland.storage.values.pages import PAGE_STATES, PagePortion
from hinterland.web import parameters
from hinterland.web.answer_cache import AnswerPending
from hinterland.web.plots import shares
from hinterland.web.site import SITE

_COUNT_SECONDS = 0.5
_HOSTS = 50
_PAGES = 50
_MAX_PART = 200


async def list_hosts(request: web.Request) -> web.Response:
    """Show a list of hosts."""
    site = request.app[SITE]
    order = parameters.choice(request.query, "order", HOST_ORDERS, "pages")
    offset = parameters.number(request.query, "offset", 0, highest=10_000_000)
    part = parameters.text(request.query, "host", _MAX_PART).strip().lower()
    is_all = parameters.flag(request.query, "all")

    def question(store: StoreReader) -> tuple[list[Host], int, int]:
        return (
            store.hosts.listed(order, offset, _HOSTS, only_visited=not is_all, part=part),
            store.hosts.count(only_visited=not is_all, part=part),
            store.hosts.count(only_visited=False, part=part),
        )

    hosts, total, known = await site.queries.ask_seldom(
        ("hosts", order, offset, part, is_all), question, of_rows_alone=True
    )
    try:
        waiting = await site.queries.ask_seldom(
            "waiting", lambda store: store.hosts.waiting(), within=_COUNT_SECONDS, of_rows_alone=True
        )
    except (AnswerPending, TookTooLong):
        waiting = None
    return site.page(
        "hosts.html",
        hosts=hosts,
        waiting=waiting,
        bars=shares([host.pages_fetched for host in hosts]),
        order=order,
        offset=offset,
        step=_HOSTS,
        total=total,
        known=known,
        part=part,
        is_all=is_all,
        now=site.now(),
    )


def number_of_host(url: str, store: StoreReader) -> int | None:
    """Return the number of a host, given its URL as written or in canonical form, or the URL of one of its pages."""
    number = store.hosts.number_of(url.rstrip("/"))
    if number is None:
        canonical = Canonicaliser().canonical(url)
        number = None if canonical is None else store.hosts.number_of(host_of(canonical))
    return number


async def find_host(request: web.Request) -> web.Response:
    """Redirect from the URL of a host to the page about this host."""
    site = request.app[SITE]
    url = parameters.text(request.query, "url", parameters.MAX_URL).strip()
    if not url:
        raise parameters.BadParameter("url is missing: give the URL of a host")
    number = await site.queries.ask(lambda store: number_of_host(url, store))
    if number is None:
        return site.page("message.html", 404, title="No such host", message=f"{url} is not in the store.")
    raise web.HTTPSeeOther(f"{site.root}/host/{number}")


async def show_host(request: web.Request) -> web.Response:
    """Show one host."""
    site = request.app[SITE]
    number = parameters.number(request.match_info, "number", -1)
    state = parameters.choice(request.query, "state", ("", *PAGE_STATES), "")
    after = parameters.number(request.query, "after", -1, lowest=-1)

    def question(store: StoreReader) -> tuple[Host, HostRobots | None, PagePortion] | None:
        host = store.hosts.host(number)
        if host is None:
            return None
        return host, store.hosts.robots(number), store.pages_of_hosts.listed(host, state, after, _PAGES)

    found = await site.queries.ask(question)
    if found is None:
        return site.page("message.html", 404, title="No such host", message=f"There is no host {number} in the store.")
    host, robots, listed = found

    def counted(store: StoreReader) -> HostPages:
        return store.pages_of_hosts.summary(host)

    try:
        pages = await site.queries.ask_seldom(("host", number), counted, within=_COUNT_SECONDS, of_rows_alone=True)
    except (AnswerPending, TookTooLong):
        pages = None
    return site.page(
        "host.html",
        host=host,
        robots=robots,
        pages=pages,
        bars=dict(zip(PAGE_STATES, shares(list(pages.by_state.values())), strict=True)) if pages else {},
        listed=listed.pages,
        next_after=listed.next_after,
        state=state,
        after=after,
        now=site.now(),
    )
