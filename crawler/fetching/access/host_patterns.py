"""Patterns of host names: one name, all names below a name, or all names. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from hinterland.crawler.settings.rules import Complaint


def check_host_pattern(text: str) -> None:
    """Check that a text is a host name, a name with "*." before it, or "*". Raises Complaint."""
    name = text.removeprefix("*.")
    if text != "*" and (not name or any(character in name for character in "*/:?#@ ")):
        raise Complaint(f'"{text}" is not a host; write "a.example", "*.a.example" or "*"')


class HostPatterns:
    """A set of patterns that have been checked."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """Take the patterns; their case does not matter."""
        given = [pattern.lower() for pattern in patterns]
        self._has_all = "*" in given
        self._names = frozenset(name for name in given if not name.startswith("*"))
        self._suffixes = tuple(name[1:] for name in given if name.startswith("*."))

    def match(self, host: str) -> bool:
        """Return whether a host name, in lower case, matches one of the patterns."""
        return self._has_all or host in self._names or host.endswith(self._suffixes)
