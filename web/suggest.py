"""Completions of a partly typed query, for the search box and for browsers that have this search as a search engine.

OpenSearch 1.1 defines the formats: a description that a browser finds by a <link>, and completions as a JSON list of
the typed text and the list of its completions.
"""

from __future__ import annotations

import json
from typing import Final
from xml.sax.saxutils import escape

from aiohttp import web

from hinterland.search.index_failures import NoIndex
from hinterland.web.hostile_text import visible
from hinterland.web.site import SITE

DESCRIPTION_PATH: Final = "/opensearch.xml"
SUGGESTIONS_PATH: Final = "/suggest"
SUGGESTIONS_TYPE: Final = "application/x-suggestions+json"
_DESCRIPTION_TYPE: Final = "application/opensearchdescription+xml"
_MOST_TYPED: Final = 100
_MOST: Final = 10
_FOR_A_MINUTE: Final = "private, max-age=60"

_DESCRIPTION: Final = """\
<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>{name}</ShortName>
  <Description>Search the pages of a crawl</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <Image width="32" height="32" type="image/svg+xml">{root}/static/icon.svg</Image>
  <Url type="text/html" method="get" template="{root}/?q={{searchTerms}}"/>
  <Url type="{suggestions}" method="get" template="{root}{path}?q={{searchTerms}}"/>
  <Url type="{description}" rel="self" template="{root}{own}"/>
</OpenSearchDescription>
"""


async def suggest(request: web.Request) -> web.Response:
    """Send a JSON list of the typed text and the list of its completions.

    Without an index, the list of completions is empty, because nobody reads an error message while typing.
    """
    site = request.app[SITE]
    typed = request.query.get("q", "")[:_MOST_TYPED]
    try:
        found = await site.queries.in_thread(lambda: site.searches.suggest(typed, limit=_MOST)) if typed.strip() else []
    except NoIndex:
        found = []
    answer = [typed, [visible(phrase) for phrase in found]]
    return web.Response(
        text=json.dumps(answer, ensure_ascii=True).replace("<", "\\u003c").replace(">", "\\u003e"),
        content_type=SUGGESTIONS_TYPE,
        headers={"Cache-Control": _FOR_A_MINUTE},
    )


async def describe(request: web.Request) -> web.Response:
    """Send the OpenSearch description.

    It contains the address that the browser used, since browsers know a search engine by its absolute URL.
    """
    root = escape(request.app[SITE].address(request), {'"': "&quot;"})
    text = _DESCRIPTION.format(
        name="Hinterland",
        root=root,
        path=SUGGESTIONS_PATH,
        own=DESCRIPTION_PATH,
        suggestions=SUGGESTIONS_TYPE,
        description=_DESCRIPTION_TYPE,
    )
    return web.Response(text=text, content_type=_DESCRIPTION_TYPE, charset="utf-8")
