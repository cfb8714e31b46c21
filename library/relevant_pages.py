"""Checks whether the pages of a store have been judged by a topic."""

from __future__ import annotations

from pathlib import Path

from hinterland.library.errors import HinterlandError
from hinterland.storage.reading.opening import reading


def require_topic(store: Path) -> None:
    """Raise HinterlandError if the crawl in a store has no topic, or NoStore if the store cannot be read."""
    with reading(store) as reader:
        if reader.topics.topic() is None:
            raise HinterlandError(
                f"--relevant: the crawl in {store} has no topic, so no page was judged; `topic judge` can do that now"
            )
