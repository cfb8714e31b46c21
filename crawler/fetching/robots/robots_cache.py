"""Keeps the robots rules of all visited hosts within a memory budget, and reads evicted rules from the store again."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hinterland.crawler.fetching.robots.rules import ALLOW_ALL, RobotsRules, parse_robots

ReadText = Callable[[int], Awaitable[bytes | None]]
"""Reads the robots.txt of a host from the store."""

_RULE_BYTES = 500
_SHORT_LINE_BYTES = 100
"""The maximum memory of one rule, and of one sitemap or line about usage, apart from its text."""


@dataclass(frozen=True, slots=True)
class RobotsCacheLimits:
    """Limits of the memory for all hosts. At least one text, and the rules of one text, stay in memory."""

    memory_bytes: int = 100_000_000
    """Memory for texts and parsed rules; each may take half of it."""
    texts: int = 10_000
    """Maximum number of texts whose parsed rules are kept."""
    rules: int = 150_000
    """Maximum number of parsed rules. A rule takes 200 bytes, or 400 with wildcards."""
    large: int = 50_000
    """Size in bytes above which a text is parsed in another thread; half a megabyte of rules takes half a second to
    parse."""


async def _no_text(_: int) -> None:
    """Return None, as for an empty store."""


class RobotsCache:
    """The robots rules of hosts, by host number.

    The most recently used texts and parsed rules are kept; hosts with the same text share its rules. A text is the
    contents of a robots.txt, or None if there certainly is none. For each host with a text, a hash of 16 bytes stays in
    memory, by which its parsed rules are found.
    """

    def __init__(
        self, agent: str, limits: RobotsCacheLimits = RobotsCacheLimits(), *, read: ReadText = _no_text
    ) -> None:
        """Start empty; `read` reads a host's text from the store."""
        self._limits = limits
        self._agent = agent
        self._read = read
        self._keys: dict[int, bytes] = {}
        self._unwritten: dict[int, bytes] = {}
        self._texts: OrderedDict[int, bytes] = OrderedDict()
        self._text_bytes = 0
        self._parsed: OrderedDict[bytes, tuple[RobotsRules, int]] = OrderedDict()
        self._rules = 0
        self._parsed_bytes = 0

    # ---------------------------------------------------------------- what is known

    def remember(self, host: int, text: bytes | None) -> None:
        """Keep the text of a host's robots.txt, None if there is none. It stays in memory until `written` is called."""
        self._keys.pop(host, None)
        self._unwritten.pop(host, None)
        self._drop(host)
        if text:
            self._keys[host] = _key(text)
            self._unwritten[host] = text

    def written(self, host: int, text: bytes | None) -> None:
        """Note that the store now has a host's text, which was passed to `remember` before."""
        if text and self._unwritten.get(host) is text:
            del self._unwritten[host]
            self._take_in(host, text)

    def is_stored(self, host: int) -> None:
        """Note that the store has a host's text from an earlier run."""
        self._keys[host] = b""

    @property
    def memory_bytes(self) -> int:
        """The approximate size of texts and rules in bytes, without texts that are not written yet."""
        return self._text_bytes + self._parsed_bytes

    # ---------------------------------------------------------------- rules

    def rules_at_hand(self, host: int) -> RobotsRules | None:
        """Return the rules of a host whose robots.txt is known, or None if they are not available without waiting.

        A host without a robots.txt allows everything.
        """
        key = self._keys.get(host)
        if key is None:
            return ALLOW_ALL
        found = self._parsed.get(key)
        if found is not None:
            self._parsed.move_to_end(key)
            return found[0]
        text = self._text(host)
        if text is None or len(text) > self._limits.large:
            return None
        return self.keep(text, self.parse(text))

    async def text_of(self, host: int) -> bytes:
        """Return the text of a host's robots.txt, which must exist, from the store if necessary."""
        text = self._text(host)
        if text is not None:
            return text
        text = await self._read(host) or b""
        newer = self._unwritten.get(host)
        if newer is not None:
            return newer
        if self._keys.get(host) == b"":
            self._keys[host] = _key(text)
        if host in self._keys:
            self._take_in(host, text)
        return text

    def takes_long(self, text: bytes) -> bool:
        """Return whether a text should be parsed in another thread."""
        return len(text) > self._limits.large

    def parse(self, text: bytes) -> RobotsRules:
        """Return the rules that a robots.txt has for this crawler."""
        return parse_robots(text, self._agent, with_lines=False)

    def keep(self, text: bytes, rules: RobotsRules) -> RobotsRules:
        """Keep the rules that `parse` returned for a text, and return them."""
        key, size = _key(text), _size(text, rules)
        if key not in self._parsed:
            self._rules += len(rules.rules)
            self._parsed_bytes += size
        self._parsed[key] = rules, size
        while len(self._parsed) > 1 and self._has_too_much_parsed:
            _, (forgotten, size) = self._parsed.popitem(last=False)
            self._rules -= len(forgotten.rules)
            self._parsed_bytes -= size
        return rules

    @property
    def _has_too_much_parsed(self) -> bool:
        limits = self._limits
        return (
            len(self._parsed) > limits.texts
            or self._rules > limits.rules
            or self._parsed_bytes > limits.memory_bytes // 2
        )

    # ---------------------------------------------------------------- texts

    def _text(self, host: int) -> bytes | None:
        """Return the text of a host, or None if it is not in memory."""
        if host in self._texts:
            self._texts.move_to_end(host)
            return self._texts[host]
        return self._unwritten.get(host)

    def _take_in(self, host: int, text: bytes) -> None:
        self._drop(host)
        self._texts[host] = text
        self._text_bytes += len(text)
        while self._text_bytes > self._limits.memory_bytes // 2 and len(self._texts) > 1:
            _, left = self._texts.popitem(last=False)
            self._text_bytes -= len(left)

    def _drop(self, host: int) -> None:
        self._text_bytes -= len(self._texts.pop(host, b""))


def _key(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=16).digest()


def _size(text: bytes, rules: RobotsRules) -> int:
    return len(text) + _RULE_BYTES * len(rules.rules) + _SHORT_LINE_BYTES * (len(rules.sitemaps) + len(rules.usage))
