"""The audit of a store, as a page and as a file to send to others."""

from __future__ import annotations

from aiohttp import web

from hinterland.library.audit.auditing import EXAMPLES, audit_of
from hinterland.library.audit.finding import AuditReport, State
from hinterland.library.audit.kinds import Group
from hinterland.library.audit.reports.html_report import html_report
from hinterland.library.audit.reports.words import in_order, share, unsaid, weight_words
from hinterland.library.audit.rules import RULES
from hinterland.storage.reading.reader import StoreReader
from hinterland.web.answer_cache import CachedAnswer, Tell
from hinterland.web.site import SITE, Site

FILE_PATH = "/audit.html"

_PATIENCE_SECONDS = 20.0


async def show_audit(request: web.Request) -> web.Response:
    """Show the audit. It is made at the first request, and again once the store was written to."""
    site = request.app[SITE]
    kept = await _audited(site)
    report = kept.answer
    groups = [(group, [each for each in report.of(group) if each.state is State.FOUND]) for group in Group]
    return site.page(
        "audit.html",
        kept=kept,
        report=report,
        groups=[(group.value, findings) for group, findings in groups if findings],
        unsaid=list(unsaid(report)),
        in_order=list(in_order(report)),
        share=share,
        weight_words=weight_words,
        file_path=FILE_PATH,
    )


async def send_audit(request: web.Request) -> web.Response:
    """Send the audit as one self-contained HTML file."""
    site = request.app[SITE]
    text = html_report((await _audited(site)).answer)
    return web.Response(
        body=text.encode("utf-8", "replace"),
        content_type="text/html",
        charset="utf-8",
        headers={"Content-Disposition": 'attachment; filename="audit.html"', "Cache-Control": "no-cache"},
    )


async def _audited(site: Site) -> CachedAnswer[AuditReport]:
    now = site.now

    def made(store: StoreReader, tell: Tell) -> AuditReport:
        return audit_of(store, store.path.name, RULES, examples=EXAMPLES, earlier=None, on_step=tell, at=now())

    return await site.queries.kept.ask("audit", made, what="The audit", within=_PATIENCE_SECONDS)
