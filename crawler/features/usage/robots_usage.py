"""The preferences that a robots.txt states for a path. Pure.

A line with a path applies like an Allow or Disallow line (draft-ietf-aipref-attach, section 3.1): the longest pattern
that matches decides. All lines with that pattern apply together, and so do the two kinds of lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from hinterland.crawler.features.usage.statement import Statement
from hinterland.crawler.features.usage.statements import content_signal, content_usage
from hinterland.crawler.fetching.robots.matching import NO_RULE, RobotsRule, RuleIndex, normal_form, percent_encoded
from hinterland.crawler.fetching.robots.rules import UsageLine
from hinterland.storage.values.uses import Use

SOURCE: Final = "robots.txt"
_READERS: Final[Mapping[str, Callable[[str], Mapping[Use, bool]]]] = {
    "content-usage": content_usage,
    "content-signal": content_signal,
}
_END_OF_PATH: Final = re.compile(r"[ \t]+")
_NON_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_ENCODED_WILDCARDS: Final = re.compile("(%24|%2[Aa])")
_EVERYWHERE: Final = "/"


class RobotsUsage:
    """The lines about usage of one group of a robots.txt."""

    def __init__(self, lines: Iterable[UsageLine]) -> None:
        """Read the lines. Lines without a preference are kept, too, so that they can be shown."""
        self._statements: dict[str, dict[str, list[Statement]]] = {}
        for name, value in lines:
            pattern, preferences = _path_and_preferences(value)
            of_name = self._statements.setdefault(name, {})
            of_name.setdefault(_one_spelling(pattern), []).append(
                Statement(SOURCE, f"{name}: {value}", _READERS[name](preferences))
            )
        self._indexes = {
            name: RuleIndex([RobotsRule(allow=True, pattern=pattern) for pattern in patterns])
            for name, patterns in self._statements.items()
        }

    def refuses(self, uses: Collection[Use]) -> bool:
        """Return whether any line disallows one of these uses, for whatever path."""
        statements = (each for of_name in self._statements.values() for some in of_name.values() for each in some)
        return any(each.allowed.get(use) is False for each in statements for use in uses)

    def of(self, path: str) -> Iterator[Statement]:
        """Yield the statements that apply to `path`, a path with its query, as written in a canonical URL."""
        for name, index in self._indexes.items():
            rule = index.deciding(path)
            if rule is not NO_RULE:
                yield from self._statements[name].get(rule.pattern, ())  # nothing if it takes too long to find it


@lru_cache(maxsize=256)
def robots_usage(lines: tuple[UsageLine, ...]) -> RobotsUsage:
    """Return what these lines say. The results for recent files are cached, since hosts have many pages."""
    return RobotsUsage(lines)


def _one_spelling(pattern: str) -> str:
    """Return a spelling that is the same for all patterns that match the same paths.

    An encoded "$" or "*" is a character, not a wildcard.
    """
    parts = _ENCODED_WILDCARDS.split(pattern)
    return "".join(part.upper() if place % 2 else normal_form(part) for place, part in enumerate(parts))


def _path_and_preferences(value: str) -> tuple[str, str]:
    """Return the path pattern of a line, "/" if it has none, and the rest of the line."""
    if not value.startswith("/"):
        return _EVERYWHERE, value
    pattern, *rest = _END_OF_PATH.split(value, maxsplit=1)
    return _NON_ASCII.sub(lambda found: percent_encoded(found[0].encode()), pattern), "".join(rest)
