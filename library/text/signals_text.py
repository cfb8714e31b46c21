"""How reliably sites announce their changes, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from hinterland.library.text.wording import counted, number, printable, table

if TYPE_CHECKING:
    from hinterland.storage.values.history import StoredSignals

_MOST_SHOWN: Final = 10
_NAMES: Final = {"sitemap": "sitemaps", "feed": "feeds", "push": "pushed notices"}


def reliability(signals: StoredSignals) -> str:
    """Return how reliable the announcements of a host are."""
    told = (
        f"{signals.precision:.0%} of its notices of changes are true; it announces {signals.recall:.0%} of its changes"
    )
    return f"{told} ({counted(round(signals.looks), 'revisit')})"


def signal_name(signals: StoredSignals) -> str:
    """Return in words by what means a host announces changes."""
    return _NAMES.get(signals.kind, signals.kind)


def signals_as_json(signals: StoredSignals) -> dict[str, object]:
    """Return how reliable a host's announcements are as JSON values, without the host's number."""
    told = {"kind": signals.kind, "looks": signals.looks}
    return told | {"precision": signals.precision, "recall": signals.recall}


def signals_lines(hosts: Sequence[str], signals: Sequence[StoredSignals]) -> Iterator[str]:
    """Yield a blank line, a title, and a table of hosts that announce changes; nothing if no host does.

    `hosts` has the URL of the host of each entry of `signals`.
    """
    if not signals:
        return
    yield ""
    yield "Notices of changes: the share that is true, the share of changes that is announced, revisits so far"
    shown = signals[:_MOST_SHOWN]
    rows = [
        (
            *(printable(host), signal_name(each), f"{each.precision:.0%}", f"{each.recall:.0%}"),
            counted(round(each.looks), "revisit"),
        )
        for host, each in zip(hosts, shown, strict=False)
    ]
    yield from table(rows, right=(2, 3, 4))
    if len(signals) > len(shown):
        yield f"  and {number(len(signals) - len(shown))} more"
