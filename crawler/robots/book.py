"""The robots rules of every host visited, parsed when they are needed and forgotten when memory is."""

from __future__ import annotations

from collections import OrderedDict

from crawler.robots.rules import ALLOW_ALL, RobotsRules, parse_robots

_PARSED = 10_000


class RobotsBook:
    """Host number -> rules. Of the texts it keeps all, of the parsed rules those used last."""

    def __init__(self, agent: str, max_bytes: int) -> None:
        self._agent = agent
        self._max_bytes = max_bytes
        self._texts: dict[int, bytes] = {}
        self._parsed: OrderedDict[int, RobotsRules] = OrderedDict()

    def parse(self, text: bytes) -> RobotsRules:
        return parse_robots(text, self._agent, max_bytes=self._max_bytes)

    def remember(self, host: int, text: bytes | None) -> None:
        """Note what settles what may be fetched: a file, or (None) the certainty that there is none."""
        self._parsed.pop(host, None)
        self._texts.pop(host, None)
        if text:
            self._texts[host] = text

    def rules(self, host: int) -> RobotsRules:
        """The rules of a host whose robots.txt is known; a host without one allows all."""
        text = self._texts.get(host)
        if text is None:
            return ALLOW_ALL
        rules = self._parsed.get(host)
        if rules is None:
            rules = self._parsed[host] = self.parse(text)
            if len(self._parsed) > _PARSED:
                self._parsed.popitem(last=False)
        else:
            self._parsed.move_to_end(host)
        return rules
