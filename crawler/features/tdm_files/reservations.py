"""Reads what a tdmrep.json says about a path. The first rule with a matching pattern decides. Pure.

    [{"location": "/images/*.jpg", "tdm-reservation": 1, "tdm-policy": "https://a.example/policy.json"}]

Patterns are those of robots.txt ("*", and "$" at the end). Rules that cannot be understood are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import msgspec

from hinterland.crawler.fetching.robots.matching import NO_RULE, RobotsRule, RuleIndex, percent_encoded

PATH: Final = "/.well-known/tdmrep.json"
MOST_BYTES: Final = 500_000
_MOST_RULES: Final = 1_000
_NON_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_MOST_CHARACTERS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Reservation:
    """A rule of the file. `policy` is the URL of the terms of a licence, "" if the rule names none."""

    location: str
    is_reserved: bool
    policy: str = ""

    @property
    def text(self) -> str:
        """The rule as it is shown."""
        said = f"tdm-reservation: {int(self.is_reserved)} for {self.location}"
        return f"{said}, tdm-policy: {self.policy}" if self.policy else said


class TdmFile:
    """The rules of one file."""

    def __init__(self, text: bytes) -> None:
        """Read a file. It has no rules if it is not a JSON array."""
        self._rules = [
            (each, RuleIndex([RobotsRule(allow=True, pattern=_ascii(each.location))])) for each in _rules(text)
        ]

    def of(self, path: str) -> Reservation | None:
        """Return the rule for a path with its query, as written in a canonical URL; None if there is none."""
        for rule, index in self._rules:
            if index.deciding(path) is not NO_RULE:
                return rule
        return None

    @property
    def texts(self) -> list[str]:
        """The rules as they are shown."""
        return [rule.text for rule, _ in self._rules]

    @property
    def reserves(self) -> bool:
        """Whether any rule reserves rights."""
        return any(rule.is_reserved for rule, _ in self._rules)


@lru_cache(maxsize=256)
def tdm_file(text: bytes) -> TdmFile:
    """Return the rules of a file. The results for recent files are cached, since hosts have many pages."""
    return TdmFile(text)


def _ascii(pattern: str) -> str:
    return _NON_ASCII.sub(lambda found: percent_encoded(found[0].encode("utf-8", "replace")), pattern)


def _rules(text: bytes) -> Iterator[Reservation]:
    try:
        found: Any = msgspec.json.decode(text.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    for each in found[:_MOST_RULES] if isinstance(found, list) else ():
        if not isinstance(each, dict):
            continue
        location, reserved, policy = (each.get(key) for key in ("location", "tdm-reservation", "tdm-policy"))
        if not isinstance(location, str) or location[:1] not in ("/", "*") or len(location) > _MOST_CHARACTERS:
            continue
        if str(reserved) in ("0", "1"):
            shown = policy[:_MOST_CHARACTERS] if isinstance(policy, str) else ""
            yield Reservation(location, str(reserved) == "1", shown)
