"""Shows the change signals of hosts, how reliable they were, and the latest IndexNow notices."""

from __future__ import annotations

from aiohttp import web

from hinterland.library.text.changes_text import share_text
from hinterland.library.text.notices_text import notice_state
from hinterland.library.text.signals_text import signal_name
from hinterland.storage.failures import SqliteError
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.history import StoredSignals
from hinterland.storage.values.indexnow import ShownNotice
from hinterland.web.indexnow import NOTICES
from hinterland.web.site import SITE

_SIGNALS = 100
_NOTICES = 100


async def show_signals(request: web.Request) -> web.Response:
    """Show the change signals."""
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
