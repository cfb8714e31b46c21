"""The hits of a query in forms for other programs: as an Atom feed and as CSV."""

from __future__ import annotations

from urllib.parse import urlencode

from aiohttp import web

from hinterland.library.text.csv_text import csv_text
from hinterland.library.text.wording import moment
from hinterland.search.answers import ORDERS, QueryError, SearchAnswer
from hinterland.web import parameters
from hinterland.web.atom_feed import atom_feed
from hinterland.web.parameters import BadParameter
from hinterland.web.search_page import search
from hinterland.web.site import SITE

_FEED_HITS = 50
_CSV_HITS = 100
_COLUMNS = ("place", "url", "title", "snippet", "dated", "fetched", "language", "score", "section", "section_url")


async def send_feed(request: web.Request) -> web.Response:
    """Send the hits of a query as an Atom feed."""
    site = request.app[SITE]
    answer = await _answer(request, _FEED_HITS)
    order, is_verbatim = request.query.get("order", ""), parameters.flag(request.query, "verbatim")
    how = {**({"order": order} if order else {}), **({"verbatim": 1} if is_verbatim else {})}
    asked = urlencode({"q": answer.query, **how})
    base = site.address(request)
    feed = atom_feed(answer, f"{base}/search.atom?{asked}", f"{base}/?{asked}", site.now())
    return _sent(feed, "application/atom+xml")


async def send_csv(request: web.Request) -> web.Response:
    """Send the hits of a query as CSV: the first `limit` hits, by default a hundred."""
    limit = parameters.number(request.query, "limit", _CSV_HITS, 1, _CSV_HITS)
    answer = await _answer(request, limit)
    rows = [
        (
            place,
            hit.url,
            hit.title_text,
            hit.snippet_text,
            None if hit.dated is None else moment(hit.dated),
            moment(hit.fetched_at),
            hit.language,
            round(hit.score, 4),
            hit.section,
            hit.section_url,
        )
        for place, hit in enumerate(answer.hits, answer.offset + 1)
    ]
    return _sent(csv_text([_COLUMNS, *rows]).encode("utf-8", "replace"), "text/csv")


async def _answer(request: web.Request, limit: int) -> SearchAnswer:
    query = parameters.text(request.query, "q", parameters.MAX_QUERY)
    if not query.strip():
        raise BadParameter("q is missing: give the words to search for")
    offset = parameters.number(request.query, "offset", 0, highest=1_000)
    how = {
        "order": parameters.choice(request.query, "order", ORDERS, ""),
        "verbatim": parameters.flag(request.query, "verbatim"),
    }
    try:
        return await search(request.app[SITE], query, limit=limit, offset=offset, explain=False, **how)
    except QueryError as error:
        raise BadParameter(str(error)) from error


def _sent(body: bytes, content_type: str) -> web.Response:
    return web.Response(body=body, content_type=content_type, charset="utf-8", headers={"Cache-Control": "no-cache"})
