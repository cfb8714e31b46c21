"""Who tells of changes, how far that could be believed, and the latest notices that were pushed here."""

from __future__ import annotations

from aiohttp import web

from crawler.apps.serving.indexnow import NOTICES
from crawler.apps.serving.site import SITE
from crawler.apps.text.changes_text import share_text
from crawler.apps.text.notices_text import notice_state
from crawler.apps.text.signals_text import signal_name
from storage.failures import SqliteError
from storage.reading.reader import StoreReader
from storage.values.history import StoredSignals
from storage.values.notices import ShownNotice

_SIGNALS = 100
_NOTICES = 100


async def show_signals(request: web.Request) -> web.Response:
    site, file = request.app[SITE], request.app.get(NOTICES)

    def question(store: StoreReader) -> tuple[list[tuple[str, StoredSignals]], int]:
        signals = store.history.signals()
        urls = store.hosts.urls() if signals else []
        return [(urls[each.host], each) for each in signals[:_SIGNALS]], len(signals)

    def latest() -> tuple[list[ShownNotice], int]:
        return file.latest(_NOTICES) if file is not None and file.exists() else ([], 0)

    signals, total = await site.queries.ask(question)
    try:
        (notices, waiting), problem = await site.queries.in_thread(latest), ""
    except SqliteError as error:
        notices, waiting, problem = [], 0, str(error)
    return site.page(
        "signals.html",
        signals=signals,
        total=total,
        notices=notices,
        waiting=waiting,
        problem=problem,
        takes_notices=file is not None,
        signal_name=signal_name,
        notice_state=notice_state,
        share_text=share_text,
    )
