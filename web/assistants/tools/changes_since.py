"""`changes_since`: what recrawls have found to be new, changed, moved or gone."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta

from hinterland.library.text.moments import NoMoment, moment_named
from hinterland.storage.values.history import Change
from hinterland.storage.values.pages import NamedPage
from hinterland.web.assistants.asked_stores import AskedStores, CannotAnswer
from hinterland.web.assistants.bounding import fitting
from hinterland.web.assistants.tool import Tool
from hinterland.web.assistants.values import After, Answer, Arguments, Limit, NextAfter, PageFacts, StoreName, utc


class ChangesArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of `changes_since`."""

    since: Annotated[
        str, Meta(max_length=40, description="A time ago such as 12h, 7d or 4w, or a date: 2026-03-01.")
    ] = "7d"
    kind: Annotated[
        Literal["", "new", "changed", "moved", "gone", "back"], Meta(description="Only this kind; empty for all.")
    ] = ""
    store: StoreName = ""
    limit: Limit = 20
    after: After = 0


class ChangedPage(PageFacts, frozen=True, kw_only=True):
    """A change of a page."""

    kind: str
    found: Annotated[str | None, Meta(description="When a recrawl found the change, in UTC.")]
    share: Annotated[float | None, Meta(description="Share of its words that are new or gone; null if unknown.")]


class Changes(Answer, frozen=True, kw_only=True):
    """Changes, the latest first."""

    since: str | None
    counts: Annotated[Mapping[str, int], Meta(description="Number of changes by kind.")]
    changes: tuple[ChangedPage, ...]
    next_after: NextAfter


def _answer(stores: AskedStores, asked: ChangesArguments) -> Changes:
    home = stores.one(asked.store)
    try:
        since = moment_named(asked.since, time.time())
    except NoMoment as error:
        raise CannotAnswer(f"since: {error}") from None
    with home.reading() as store:
        kinds = (asked.kind,) if asked.kind else ()
        found = store.history.changes(since, kinds=kinds, limit=asked.limit + 1, before=asked.after or None)
        counts = store.history.counts(since)
        facts = home.facts(store, [NamedPage(each.page, each.url, each.title) for each in found])
        notes = [] if counts or store.history.freshness(time.time()) else [_NEVER]
    changes = fitting([_changed(change, facts[change.page]) for change in found[: asked.limit]])
    return Changes(
        store=home.name,
        notes=tuple(notes),
        since=utc(since),
        counts=counts,
        changes=tuple(changes),
        next_after=found[len(changes) - 1].number if len(found) > len(changes) else None,
    )


def _changed(change: Change, page: PageFacts) -> ChangedPage:
    return ChangedPage(
        url=page.url,
        title=page.title,
        fetched=page.fetched,
        rank=page.rank,
        kind=change.kind,
        found=utc(change.at),
        share=change.share,
    )


_NEVER: Final = "no page of this store was ever revisited, so no changes can be known; `recrawl` looks for changes"

CHANGES_SINCE: Final = Tool(
    title="Changes since a date",
    description="List pages that recrawls have found to be new, changed, moved, gone or back, the latest first.",
    arguments=ChangesArguments,
    answers=Changes,
    answer=_answer,
)
