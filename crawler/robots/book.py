"""The robots rules of every host visited, parsed when they are needed and forgotten when memory is."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from crawler.robots.rules import ALLOW_ALL, RobotsRules, parse_robots


@dataclass(frozen=True, slots=True)
class ParsedBounds:
    """How much stays parsed."""

    texts: int = 10_000
    large: int = 50_000
    """Bytes; half a megabyte of rules takes half a second to parse."""
    bytes_of_large: int = 3_000_000
    """Of large texts; their rules take thirty times as much, so this is 90 MB at the worst."""


class RobotsBook:
    """Host number -> rules. Of the texts it keeps all, of the parsed rules those used last, and only a few of large
    texts; hosts with the same text share its rules. A text is that of a file, or None where it is certain that there is
    none."""

    def __init__(self, agent: str, max_bytes: int, bounds: ParsedBounds = ParsedBounds()) -> None:
        self._bounds = bounds
        self._agent = agent
        self._max_bytes = max_bytes
        self._texts: dict[int, bytes] = {}
        self._parsed: OrderedDict[bytes, RobotsRules] = OrderedDict()
        self._parsed_large: OrderedDict[bytes, RobotsRules] = OrderedDict()
        self._bytes_of_large = 0

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
        parsed = self._parsed if len(text) <= self._bounds.large else self._parsed_large
        rules = parsed.get(text)
        if rules is None:
            rules = self.parse(text)
            self.keep(text, rules)
        else:
            parsed.move_to_end(text)
        return rules

    def takes_long(self, text: bytes | None) -> bool:
        """Whether to have another thread parse a text, for `keep`, before it is read."""
        return text is not None and len(text) > self._bounds.large and text not in self._parsed_large

    def parse(self, text: bytes) -> RobotsRules:
        return parse_robots(text, self._agent, max_bytes=self._max_bytes)

    def keep(self, text: bytes, rules: RobotsRules) -> None:
        """Remember what `parse` made of a text."""
        if len(text) <= self._bounds.large:
            self._parsed[text] = rules
            if len(self._parsed) > self._bounds.texts:
                self._parsed.popitem(last=False)
            return
        if text not in self._parsed_large:
            self._bytes_of_large += len(text)
        self._parsed_large[text] = rules
        while self._bytes_of_large > self._bounds.bytes_of_large and len(self._parsed_large) > 1:
            forgotten, _ = self._parsed_large.popitem(last=False)
            self._bytes_of_large -= len(forgotten)
