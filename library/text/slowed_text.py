"""Endless groups of URLs, such as those of a calendar, in words. Pure.

A group is described by its shape, the pattern of its URLs.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence

from hinterland.crawler.features.traps.shape import Suspicion
from hinterland.crawler.features.traps.url_shapes import (
    as_regular_expression,
    is_of_pattern,
    steps_of,
    steps_of_pattern,
)
from hinterland.crawler.urls.hosts import host_of
from hinterland.library.text.wording import counted, number, printable, table
from hinterland.storage.values.hosts import SlowedReport

_ROWS = 5
REASONS = {
    Suspicion.REPEATS.value: "new URLs keep coming, but their content is known",
    Suspicion.BREEDS.value: "new URLs come ever faster, and nothing else links to them",
}
"""The meaning of each suspicion in words."""


def slowed_lines(slowed: Sequence[SlowedReport]) -> Iterator[str]:
    """Yield a blank line, a title, and a table of URL shapes that seem endless; nothing if there are none."""
    if not slowed:
        return
    yield ""
    endless = sum(each.left_waiting > 0 for each in slowed)
    found = f", {number(endless)} apparently endless" if endless else ""
    yield f"URLs visited last on their host, because they bring little new: {counted(len(slowed), 'shape')}{found}"
    yield from table(
        [
            (
                printable(each.host + each.shape),
                f"{number(each.visits)} visited",
                f"{number(each.in_vain)} in vain",
                f"{number(each.left_waiting)} left",
                REASONS.get(each.suspicion, each.suspicion),
            )
            for each in slowed[:_ROWS]
        ],
        right=(1, 2, 3),
    )
    if len(slowed) > _ROWS:
        yield f"  and {number(len(slowed) - _ROWS)} more: SELECT * FROM slowed"


def shape_of(url: str, slowed: Sequence[SlowedReport]) -> SlowedReport | None:
    """Return the narrowest shape that a canonical URL matches; None if it matches no shape."""
    steps = steps_of(url)
    found = [
        each for each in slowed if each.host == host_of(url) and is_of_pattern(steps, steps_of_pattern(each.shape))
    ]
    return max(found, key=lambda each: len(steps_of_pattern(each.shape)), default=None)


def trust_option(slowed: SlowedReport) -> str:
    """Return a value of --set. With this value, a crawl treats URLs of the shape like all other URLs."""
    pattern = "^" + as_regular_expression(slowed.host, slowed.shape)
    return shlex.quote(f"traps.trusted={json.dumps([pattern], ensure_ascii=False)}")
