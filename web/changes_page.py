"""The changes that revisits have found: as a page, as an Atom feed, and for one page word by word."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode
from uuid import NAMESPACE_URL, uuid5

from aiohttp import web

from hinterland.library.text.changes_text import share_text
from hinterland.library.text.diff_text import Piece, pieces
from hinterland.library.text.moments import NoMoment, moment_named
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.history import CHANGE_KINDS, Change
from hinterland.storage.values.pages import NamedPage
from hinterland.storage.values.versions import VersionLost
from hinterland.web import parameters
from hinterland.web.atom_feed import Entry, feed_of
from hinterland.web.hostile_text import web_href
from hinterland.web.parameters import BadParameter
from hinterland.web.site import SITE

FEED_PATH = "/changes.atom"

_AT_ONCE = 50
_FEED_ENTRIES = 100
_LONGEST_MOMENT = 40
_MOST_WORDS = 20_000
_USUAL = "7d"


def _since(request: web.Request) -> tuple[str, float]:
    """Return the parameter `since` in two forms: as given, and in epoch seconds."""
    given = parameters.text(request.query, "since", _LONGEST_MOMENT) or _USUAL
    try:
        return given, moment_named(given, request.app[SITE].now())
    except NoMoment as error:
        raise BadParameter(f"since: {error}") from None


async def show_changes(request: web.Request) -> web.Response:
    """Show the latest changes."""
    site = request.app[SITE]
    given, since = _since(request)
    kind = parameters.choice(request.query, "kind", ("", *CHANGE_KINDS), "")
    before = parameters.number(request.query, "before", 0)
    kinds = (kind,) if kind else ()

    def question(store: StoreReader) -> tuple[list[Change], dict[str, int]]:
        found = store.history.changes(since, kinds=kinds, limit=_AT_ONCE + 1, before=before or None)
        return found, store.history.counts(since)

    found, counts = await site.queries.ask(question)
    return site.page(
        "changes.html",
        changes=found[:_AT_ONCE],
        next_before=found[_AT_ONCE - 1].number if len(found) > _AT_ONCE else None,
        is_later=before > 0,
        counts=counts,
        kind=kind,
        since=given,
        share_text=share_text,
        feed_path=FEED_PATH,
    )


async def send_feed(request: web.Request) -> web.Response:
    """Send the latest hundred changes since the requested time as an Atom feed.

    Each entry leads to the page and says what has changed.
    """
    site = request.app[SITE]
    given, since = _since(request)
    kind = parameters.choice(request.query, "kind", ("", *CHANGE_KINDS), "")
    kinds = (kind,) if kind else ()
    found = await site.queries.ask(lambda store: store.history.changes(since, kinds=kinds, limit=_FEED_ENTRIES))
    base = site.address(request)
    asked = "?" + urlencode({"since": given, **({"kind": kind} if kind else {})})
    feed = feed_of(
        [_entry(change, href) for change in found if (href := web_href(change.url)) is not None],
        title="Changes · Hinterland",
        address=f"{base}{FEED_PATH}{asked}",
        page=f"{base}/changes{asked}",
        now=site.now(),
    )
    return web.Response(
        body=feed, content_type="application/atom+xml", charset="utf-8", headers={"Cache-Control": "no-cache"}
    )


def _entry(change: Change, href: str) -> Entry:
    """Return the entry of a change.

    The permanent name of the entry does not depend on the address at which the store is served.
    """
    share = share_text(change.share)
    how_much = f", {share} of its words" if share else ""
    return Entry(
        name=uuid5(NAMESPACE_URL, f"{change.url}#{change.kind}-{change.at!r}").urn,
        title=f"{change.kind}: {change.title or change.url}",
        href=href,
        updated=change.at,
        summary=f"{change.kind}{how_much}: {change.url}",
    )


async def show_page_changes(request: web.Request) -> web.Response:
    """Show all changes of one page, and the words that one of them has changed."""
    site = request.app[SITE]
    number = parameters.number(request.match_info, "number", -1)
    back = parameters.number(request.query, "back", 1, lowest=1, highest=10_000)

    def question(store: StoreReader) -> tuple[NamedPage | None, list[Change], Sequence[Piece], str]:
        page = store.pages.named([number]).get(number)
        if page is None:
            return None, [], [], ""
        changes = store.history.changes_of(number)
        try:
            before = store.history.text_before(number, back).split()
            after = store.history.text_before(number, back - 1).split()
        except VersionLost as error:
            return page, changes, [], str(error)
        return page, changes, list(pieces(before[:_MOST_WORDS], after[:_MOST_WORDS])), ""

    page, changes, found, problem = await site.queries.ask(question)
    if page is None:
        return site.page("message.html", 404, title="No such page", message=f"There is no page {number} in the store.")
    return site.page(
        "page_changes.html",
        page=page,
        changes=changes,
        back=back,
        pieces=found,
        problem=problem,
        share_text=share_text,
    )
