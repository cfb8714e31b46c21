"""Writes in words what sites say about the use of a page. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hinterland.crawler.features.usage.statement import Statement
from hinterland.storage.values.uses import USE_IN_WORDS, combined

_SOURCES: Final = {"header": "header field", "page": "meta element"}
_MOST: Final = 10


def usage_lines(statements: Sequence[Statement]) -> Iterator[str]:
    """Yield what the statements together allow and disallow, then each statement with its source.

    Yields nothing if there are no statements.
    """
    if not statements:
        return
    found = combined(each.allowed for each in statements)
    words = (
        f"{name} {'allowed' if found[use] else 'disallowed'}" for use, name in USE_IN_WORDS.items() if use in found
    )
    yield ", ".join(words) or "no statement could be read"
    for each in statements[:_MOST]:
        yield quoted(each)
    if len(statements) > _MOST:
        yield f"and {len(statements) - _MOST} more statements"


def quoted(statement: Statement) -> str:
    """Return a statement as written, after its source."""
    return f"{_SOURCES.get(statement.source, statement.source)}: {statement.text}"
