"""Shows the ranks of all pages in one picture: by the links of their site, and by the whole web."""

from __future__ import annotations

from aiohttp import web

from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.pages import NamedPage
from hinterland.storage.values.ranks import RankComparison
from hinterland.web.answer_cache import Tell
from hinterland.web.rank_scatter import SIZE, rank_scatter
from hinterland.web.site import SITE

_POINTS = 3_000
_MOVERS = 8
_PATIENCE_SECONDS = 5.0

_Found = tuple[RankComparison | None, dict[int, NamedPage]]


async def show_ranks(request: web.Request) -> web.Response:
    """Show the ranks of all pages."""
    site = request.app[SITE]
    kept = await site.queries.kept.ask("ranks", _compared, what="The comparison of the ranks", within=_PATIENCE_SECONDS)
    compared, names = kept.answer
    scatter = None if compared is None else rank_scatter(compared.drawn, compared.raised, compared.lowered)
    return site.page("ranks.html", compared=compared, scatter=scatter, names=names, size=SIZE, kept=kept)


def _compared(store: StoreReader, tell: Tell) -> _Found:
    tell("reading the ranks")
    compared = store.ranks.compared(_POINTS, _MOVERS)
    if compared is None:
        return None, {}
    return compared, store.pages.named([each.page for each in (*compared.raised, *compared.lowered)])
