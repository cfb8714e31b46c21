"""The hits of a query in the JSON format of SearXNG, which many programs and assistants read.

The format has no specification. It follows SearXNG's own answers (https://docs.searxng.org/dev/search_api.html).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlparse

import msgspec
from aiohttp import web

from hinterland.search.answers import MOST_OFFSET, Hit, QueryError, SearchAnswer
from hinterland.web import parameters, search_page
from hinterland.web.parameters import BadParameter
from hinterland.web.site import SITE

PATH: Final = "/search"
_HITS: Final = 10
_SINCE: Final = {"day": "1d", "week": "7d", "month": "30d", "year": "365d"}
_LAST_PAGE: Final = MOST_OFFSET // _HITS
_MOST_OTHER_QUERIES: Final = 5


async def send_search(request: web.Request) -> web.StreamResponse:
    """Answer a query as SearXNG does: as JSON with `format=json`, otherwise as the page of results.

    `pageno` and `time_range` are obeyed. SearXNG's other parameters (categories, engines, language, safesearch, theme)
    are ignored without an error, because clients always send some of them.
    """
    site = request.app[SITE]
    output = parameters.choice(request.query, "format", ("html", "json"), "html")
    query = parameters.text(request.query, "q", parameters.MAX_QUERY)
    if output == "html":
        raise web.HTTPSeeOther(f"{site.root}/?{request.query_string}" if query.strip() else f"{site.root}/")
    if not query.strip():
        raise BadParameter("q is missing: give the words to search for")
    page = parameters.number(request.query, "pageno", 1, 1, _LAST_PAGE)
    since = _SINCE.get(request.query.get("time_range", ""))
    asked = f"{query} since:{since}" if since else query
    try:
        answer = await search_page.search(site, asked, limit=_HITS, offset=(page - 1) * _HITS, explain=False)
    except QueryError as error:
        raise BadParameter(str(error)) from error
    body = msgspec.json.encode(searxng_answer(answer, query))
    return web.Response(body=body, content_type="application/json", headers={"Cache-Control": "no-cache"})


def searxng_answer(answer: SearchAnswer, query: str) -> dict[str, Any]:
    """Return an answer with the keys that SearXNG's clients read; `query` is the query as the user wrote it."""
    rescue = answer.rescue
    corrections = [] if rescue is None else [each.query for each in rescue.corrections[:_MOST_OTHER_QUERIES]]
    return {
        "query": query,
        "number_of_results": answer.total,
        "results": [_result(place, hit) for place, hit in enumerate(answer.hits, answer.offset + 1)],
        "answers": [],
        "corrections": [rescue.corrected, *corrections] if rescue is not None and rescue.corrected else corrections,
        "infoboxes": [],
        "suggestions": [] if rescue is None else [each.query for each in rescue.wider[:_MOST_OTHER_QUERIES]],
        "unresponsive_engines": [],
    }


def _result(place: int, hit: Hit) -> dict[str, Any]:
    dated = None if hit.dated is None else datetime.fromtimestamp(hit.dated, UTC).isoformat(timespec="seconds")
    return {
        "url": hit.section_url,
        "title": hit.title_text or hit.url,
        "content": hit.snippet_text,
        "publishedDate": dated,
        "pubdate": dated or "",
        "thumbnail": "",
        "img_src": "",
        "engine": "hinterland",
        "engines": ["hinterland"],
        "template": "default.html",
        "parsed_url": list(urlparse(hit.section_url)),
        "priority": "",
        "positions": [place],
        "score": round(hit.score, 4),
        "category": "general",
    }
