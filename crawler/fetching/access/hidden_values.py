"""Secret values that must not be written anywhere: in logs, errors, tracebacks, stores, archives or metrics. Pure.

There is one list for the process, because logs and tracebacks belong to the process, too. A value is on the list from
the moment it is read. The list serves only to hide values; nothing gets a secret from it.
"""

from __future__ import annotations

import base64
import json
import re
from collections import OrderedDict
from typing import Final
from urllib.parse import quote, quote_plus

LEAST_CHARACTERS: Final = 4
"""Shorter values are not hidden: they occur in every text by chance."""
_MOST: Final = 20_000
_STARS: Final = "***"


class HiddenValues:
    """Secret values, in every spelling in which they could be written. Mutable."""

    def __init__(self, most: int = _MOST) -> None:
        """Start empty. If there are more than `most` spellings, the oldest are forgotten."""
        self._spellings: OrderedDict[str, None] = OrderedDict()
        self._most = most
        self._texts: re.Pattern[str] | None = None
        self._octets: re.Pattern[bytes] | None = None
        self._is_current = True

    @property
    def is_empty(self) -> bool:
        """Whether there is no value to hide."""
        return not self._spellings

    def add(self, value: str) -> None:
        """Hide a value from now on, unless it is shorter than LEAST_CHARACTERS."""
        if len(value) < LEAST_CHARACTERS:
            return
        for spelling in spellings_of(value):
            self._spellings[spelling] = None
            self._spellings.move_to_end(spelling)
        while len(self._spellings) > self._most:
            self._spellings.popitem(last=False)
        self._is_current = False

    def hide(self, text: str) -> str:
        """Return a text with "***" in place of every hidden value."""
        self._compile()
        return text if self._texts is None else self._texts.sub(_STARS, text)

    def mask(self, data: bytes) -> bytes:
        """Return the bytes with every hidden value replaced by "*", repeated to the same length."""
        self._compile()
        return data if self._octets is None else self._octets.sub(lambda found: b"*" * len(found[0]), data)

    def _compile(self) -> None:
        if self._is_current:
            return
        longest_first = sorted(self._spellings, key=len, reverse=True)
        pattern = "|".join(map(re.escape, longest_first))
        self._texts = re.compile(pattern) if longest_first else None
        octets = b"|".join(re.escape(each.encode("utf-8", "surrogateescape")) for each in longest_first)
        self._octets = re.compile(octets) if longest_first else None
        self._is_current = True


def spellings_of(value: str) -> list[str]:
    """Return the spellings of a value in texts, URLs, forms, JSON, reprs and Basic credentials."""
    found = [
        value,
        quote(value, safe=""),
        quote(value),
        quote_plus(value),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        repr(value)[1:-1],
        base64.b64encode(value.encode("utf-8", "surrogateescape")).decode(),
    ]
    return list(dict.fromkeys(found))


HIDDEN_VALUES: Final = HiddenValues()
"""The values that nothing in this process may write."""
