"""Which hosts of a box have a robots.txt, and what it says. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from benchmarks.internet.web_chance import draw

PRIVATE: Final = "/private/"
"""Half of the robots.txt forbid what is below it, and every page of these hosts links to something there."""
_HAVE_ONE: Final = 0.4
_ASK_FOR_A_DELAY: Final = 0.03
_FORBID: Final = 0.5
_ROBOTS_DRAW = 301


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """A robots.txt; `crawl_delay` is in seconds or None, and with `forbids` nothing below PRIVATE is allowed."""

    crawl_delay: int | None
    forbids: bool

    @property
    def text(self) -> str:
        """The text of the file."""
        delay = "" if self.crawl_delay is None else f"Crawl-delay: {self.crawl_delay}\n"
        return f"User-agent: *\nDisallow:{' ' + PRIVATE if self.forbids else ''}\n{delay}"


def robots_of(seed: int, index: int) -> RobotsFile | None:
    """Return the robots.txt of a host; None if it answers 404, as most hosts do."""
    if draw(seed, _ROBOTS_DRAW, index, 0) >= _HAVE_ONE:
        return None
    asks = draw(seed, _ROBOTS_DRAW, index, 1) < _ASK_FOR_A_DELAY / _HAVE_ONE
    delay = 2 + int(4 * draw(seed, _ROBOTS_DRAW, index, 2)) if asks else None
    return RobotsFile(delay, draw(seed, _ROBOTS_DRAW, index, 3) < _FORBID)
