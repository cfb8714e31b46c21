"""What recrawls have found, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from hinterland.library.text.wording import moment, printable, table
from hinterland.storage.values.history import Change


def changes_lines(changes: Iterable[Change]) -> list[str]:
    """Return a table with the time, the kind, the size and the page of each change."""
    return table(
        [(moment(each.at), each.kind, share_text(each.share), printable(each.url)) for each in changes],
        right=(2,),
        indent="",
    )


def share_text(share: float | None) -> str:
    """Return in percent how much of a page's content is new or gone; "" if this is unknown."""
    if share is None:
        return ""
    return "<1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"
