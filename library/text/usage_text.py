"""What sites say about the use of a page, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hinterland.crawler.features.usage.preferences import Statement, Use, combined
from hinterland.library.text.wording import printable

_NAMES: Final = {Use.SEARCH: "search", Use.AI_INPUT: "input of AI systems", Use.TRAIN_AI: "training of AI models"}
_SOURCES: Final = {"header": "header field", "page": "meta element"}
_MOST: Final = 10


def usage_lines(statements: Sequence[Statement]) -> Iterator[str]:
    """Yield what the statements together allow and disallow, then each statement with its source.

    Nothing is yielded without statements.
    """
    if not statements:
        return
    found = combined(each.allowed for each in statements)
    words = (f"{name} {'allowed' if found[use] else 'disallowed'}" for use, name in _NAMES.items() if use in found)
    yield ", ".join(words) or "nothing said that can be read"
    for each in statements[:_MOST]:
        yield f"{_SOURCES.get(each.source, each.source)}: {printable(each.text)}"
    if len(statements) > _MOST:
        yield f"and {len(statements) - _MOST} more statements"
