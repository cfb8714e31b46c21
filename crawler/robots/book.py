"""The robots rules of every host visited, parsed when they are needed and forgotten when memory is."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from crawler.robots.rules import ALLOW_ALL, RobotsRules, parse_robots


@dataclass(frozen=True, slots=True)
class ParsedBounds:
    """How much stays parsed."""

    texts: int = 10_000
    rules: int = 150_000
    """Of all together. One takes 200 bytes, with wildcards 400."""
    large: int = 50_000
    """Bytes; half a megabyte of rules takes half a second to parse."""


class RobotsBook:
    """Host number -> rules. Of the texts it keeps all, of the parsed rules those used last, as far as they are not too
    many; hosts with the same text share its rules. A text is that of a file, or None where it is certain that there is
    none."""

    def __init__(self, agent: str, max_bytes: int, bounds: ParsedBounds = ParsedBounds()) -> None:
        self._bounds = bounds
        self._agent = agent
        self._max_bytes = max_bytes
        self._texts: dict[int, bytes] = {}
        self._parsed: OrderedDict[bytes, RobotsRules] = OrderedDict()
        self._rules = 0

    def remember(self, host: int, text: bytes | None) -> None:
        """Note what settles what may be fetched."""
        self._texts.pop(host, None)
        if text:
            self._texts[host] = text

    def text(self, host: int) -> bytes | None:
        return self._texts.get(host)

    def rules(self, host: int) -> RobotsRules:
        """The rules of a host whose robots.txt is known; a host without one allows all."""
        return self.read(self.text(host))

    def read(self, text: bytes | None) -> RobotsRules:
        if not text:
            return ALLOW_ALL
        rules = self._parsed.get(text)
        if rules is None:
            rules = self.parse(text)
            self.keep(text, rules)
        else:
            self._parsed.move_to_end(text)
        return rules

    def takes_long(self, text: bytes | None) -> bool:
        """Whether to have another thread parse a text, for `keep`, before it is read."""
        return text is not None and len(text) > self._bounds.large and text not in self._parsed

    def parse(self, text: bytes) -> RobotsRules:
        return parse_robots(text, self._agent, max_bytes=self._max_bytes, with_lines=False)

    def keep(self, text: bytes, rules: RobotsRules) -> None:
        """Remember what `parse` made of a text."""
        if text not in self._parsed:
            self._rules += len(rules.rules)
        self._parsed[text] = rules
        while len(self._parsed) > self._bounds.texts or (self._rules > self._bounds.rules and len(self._parsed) > 1):
            _, forgotten = self._parsed.popitem(last=False)
            self._rules -= len(forgotten.rules)
