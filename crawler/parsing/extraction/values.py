"""Converts strings and JSON values found in a page to values of a type. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from hinterland.crawler.parsing.extraction.rules import Source
from hinterland.crawler.urls.canonical import join

Value = str | int | float | bool

MOST_CHARACTERS: Final = 100_000
"""The maximum number of characters of a value; longer values are cut."""
LARGEST_INTEGER: Final = 2**63 - 1
"""The largest integer that a column holds."""
_NUMBER: Final = re.compile(r"[-+\u2212]?(?:\d[\d.,'\u2019 \u00a0\u202f]*|[.,]\d+)(?:[eE][-+]?\d{1,3}(?!\d))?")
_SYMBOLS: Final = "$\u00a2-\u00a5\u058f\u060b\u09f3\u0e3f\u20a0-\u20cf\ufdfc\ufe69\uff04\uffe0\uffe1\uffe5\uffe6"
_CODES: Final = (
    "USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|RMB|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|RUB|UAH|TRY|ILS|AED|SAR|INR|IDR|MYR|PHP"
    "|SGD|HKD|TWD|THB|KRW|VND|BRL|MXN|ARS|CLP|COP|ZAR|NGN|EGP|kr|z\u0142|K\u010d|Ft|Fr|Rs|RM|Rp|R"
)
_SIGNS: Final = "\u2010-\u2013\ufe63\uff0d"
"""Dashes that are used as a minus sign, besides "-" and U+2212."""
_MINUS: Final = re.compile(
    rf"(?<![\w.,)\]%$])[-\u2212{_SIGNS}](?:[A-Za-z]{{0,3}}[{_SYMBOLS}]|(?:{_CODES})\b)\.?[ \u00a0\u202f]?(?=[\d.,])"
    rf"|(?<!\S)[{_SIGNS}](?=[\d.,])"
)
"""A minus sign separated from its number by a currency (-$100, -US$ 100, -EUR 100), or written as a dash."""
_GROUPS: Final = str.maketrans("", "", "'\u2019 \u00a0\u202f")
_WORDS: Final = {
    **dict.fromkeys(("true", "yes", "1", "on"), True),
    **dict.fromkeys(("false", "no", "0", "off"), False),
}


def converted(found: object, kind: str, source: Source, url: str) -> Value | None:
    """Return `found`, a string or a JSON value, as a value of type `kind`; None if that is impossible.

    Relative URLs resolve against `url`.
    """
    if isinstance(found, bool) and kind == "boolean":
        return found
    if isinstance(found, bool):
        found = "true" if found else "false"
    text = str(found)
    is_shown = source.kind == "css" and not (source.attribute or source.regex)
    text = text.rstrip() if is_shown and kind == "text" else text.strip()  # the first line of a <pre> may be indented
    if not text:
        return None
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # JSON may have lone surrogates, which no store accepts
    return _BY_TYPE[kind](text[:MOST_CHARACTERS], source, url)


def _number(text: str, source: Source, _: str) -> float | None:
    """Return the first number in the text."""
    found = _NUMBER.search(_MINUS.sub("-", text))
    if found is None:
        return None
    digits = found[0].translate(_GROUPS).replace("\u2212", "-")
    digits = digits.replace("." if source.decimal == "," else ",", "").replace(",", ".").rstrip(".")
    try:
        value = float(digits)
    except ValueError:  # several decimal signs, as in a date or a version
        return None
    return value if math.isfinite(value) else None


def _integer(text: str, source: Source, url: str) -> int | None:
    digits = text.replace(",", "").replace("\u00a0", "").replace(" ", "")
    if re.fullmatch(r"[-+]?\d{1,19}", digits):
        value = int(digits)
    else:
        number = _number(text, source, url)
        if number is None or not number.is_integer():
            return None
        value = int(number)
    return value if abs(value) <= LARGEST_INTEGER else None


def _moment(text: str, source: Source) -> datetime | None:
    try:
        if source.format:
            return datetime.strptime(text, source.format)  # noqa: DTZ007  # the page may name no time zone
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    try:
        return None if source.format else parsedate_to_datetime(text)
    except ValueError:
        return None


def _date(text: str, source: Source, _: str) -> str | None:
    if not source.format and re.fullmatch(r"\d{4}-\d\d-\d\d", text[:10]):
        try:
            return date.fromisoformat(text[:10]).isoformat()
        except ValueError:
            return None
    moment = _moment(text, source)
    return None if moment is None else moment.date().isoformat()


def _datetime(text: str, source: Source, _: str) -> str | None:
    moment = _moment(text, source)
    return None if moment is None else moment.isoformat()


_BY_TYPE: Final[dict[str, Callable[[str, Source, str], Value | None]]] = {
    "text": lambda text, _, __: text,
    "html": lambda text, _, __: text,
    "number": _number,
    "integer": _integer,
    "boolean": lambda text, _, __: _WORDS.get(text.lower()),
    "date": _date,
    "datetime": _datetime,
    "url": lambda text, _, url: join(text, url),
}
