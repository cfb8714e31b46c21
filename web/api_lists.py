"""Paginated lists of all pages, links and errors in the store, for the API."""

from __future__ import annotations

import re

from aiohttp import web

from hinterland.storage.values.pages import PAGE_STATES
from hinterland.web import parameters
from hinterland.web.api_answers import BrokenLinksAnswer
from hinterland.web.broken_links_page import Choice, broken_targets, described
from hinterland.web.openapi import LINK_PATTERN, MAX_LINKS, MAX_LISTED
from hinterland.web.parameters import BadParameter
from hinterland.web.site import SITE, value_answer

_LONGEST = 100
_LINK = re.compile(LINK_PATTERN)


async def get_broken_links(request: web.Request) -> web.Response:
    """Return a portion of the broken links."""
    site = request.app[SITE]
    choice = Choice.of(request)
    links = parameters.number(request.query, "links", 5, highest=MAX_LINKS)
    limit = parameters.number(request.query, "limit", 25, 1, MAX_LISTED)
    offset = parameters.number(request.query, "offset", 0, highest=1_000 * parameters.MAX_OFFSET)
    targets = (await broken_targets(site, choice)).answer
    places = choice.places(targets)
    pages = await site.queries.ask(described(targets, places[offset : offset + limit], choice, links))
    return value_answer(BrokenLinksAnswer(pages, targets.by_kind, targets.knows_links, offset, len(places)))


async def get_pages(request: web.Request) -> web.Response:
    """Return a portion of all pages."""
    state = parameters.choice(request.query, "state", ("", *PAGE_STATES), "")
    outcome = parameters.text(request.query, "outcome", _LONGEST)
    after, limit = _portion(request)
    found = await request.app[SITE].queries.ask(
        lambda store: store.lists.pages(after, limit, state=state, outcome=outcome)
    )
    return value_answer(found)


async def get_links(request: web.Request) -> web.Response:
    """Return a portion of all links."""
    after = parameters.text(request.query, "after", 40)
    limit = parameters.number(request.query, "limit", 100, 1, MAX_LISTED)
    if not _LINK.fullmatch(after):
        raise BadParameter(f"after is {after!r}; it has to be next_after of the previous response")
    return value_answer(await request.app[SITE].queries.ask(lambda store: store.lists.links(after, limit)))


async def get_errors(request: web.Request) -> web.Response:
    """Return a portion of the pages whose last visit failed or was refused."""
    outcome = parameters.text(request.query, "outcome", _LONGEST)
    after, limit = _portion(request)
    found = await request.app[SITE].queries.ask(lambda store: store.lists.failures(after, limit, outcome=outcome))
    return value_answer(found)


def _portion(request: web.Request) -> tuple[int, int]:
    after = parameters.number(request.query, "after", -1, lowest=-1)
    return after, parameters.number(request.query, "limit", 100, 1, MAX_LISTED)


HANDLERS = {"broken-links": get_broken_links, "pages": get_pages, "links": get_links, "errors": get_errors}
