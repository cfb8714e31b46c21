"""The structure of a store's graph, as a page of the site and as a self-contained file."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from hinterland.lab.reporting.structure_view import structure_view
from hinterland.lab.structure.report import StructureReport, structure_report
from hinterland.library.graph_opening import open_graph
from hinterland.storage.reading.reader import StoreReader
from hinterland.web.answer_cache import Tell
from hinterland.web.extra_pages import ExtraPage
from hinterland.web.rendering import Renderer, static_files
from hinterland.web.site import SITE

FILE_BEGINS = b'<!doctype html>\n<html lang="en" class="hinterland-report">'
"""The first bytes of every report file, and of no other file."""

_PATIENCE_SECONDS = 20.0
_STYLES = ("style.css", "structure.css")


async def _show(request: web.Request) -> web.Response:
    """Show the report. It is measured at the first request, and again if the store has been written to.

    Until a new measurement is done, the previous report is shown. While the first measurement runs, a request gets its
    progress.
    """
    site = request.app[SITE]
    kept = await site.queries.kept.ask(
        "structure", _measured, what="The structure of the graph", within=_PATIENCE_SECONDS
    )
    return site.page("structure/page.html", report=kept.answer, view=structure_view(kept.answer), kept=kept)


def _measured(store: StoreReader, tell: Tell) -> StructureReport:
    tell("reading the links")
    return structure_report(open_graph(store.path), told=tell)


def report_file(report: StructureReport, measured_at: float) -> str:
    """Return the report as HTML with its styles and without scripts; `measured_at` is in epoch seconds."""
    static = static_files()
    styles = "\n".join(static[name][1].decode() for name in _STYLES)
    values = {"report": report, "view": structure_view(report), "styles": styles, "measured_at": measured_at}
    return Renderer(static).page("structure/file.html", **values)


STRUCTURE: Final = ExtraPage("/structure", "Structure", _show)
