"""Reads query parameters and checks their bounds. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

MAX_QUERY = 500
MAX_URL = 8_000
MAX_OFFSET = 10_000
MAX_NUMBER = 2**53


class BadParameter(Exception):
    """A parameter is invalid; the message names it and the values that are allowed."""


def text(query: Mapping[str, str], name: str, longest: int) -> str:
    """Return the text of a parameter; "" if it is absent.

    Raises BadParameter if it is longer than `longest`.
    """
    value = query.get(name, "")
    if len(value) > longest:
        raise BadParameter(f"{name} has {len(value)} characters; the limit is {longest}")
    return value


def number(query: Mapping[str, str], name: str, default: int, lowest: int = 0, highest: int = MAX_NUMBER) -> int:
    """Return the integer value of a parameter; `default` if it is absent.

    Raises BadParameter if it is out of bounds.
    """
    value = query.get(name, "").strip()
    if not value:
        return default
    is_number = value.removeprefix("-").isdecimal() and value.isascii() and len(value) <= 16
    if not is_number or not lowest <= int(value) <= highest:
        raise BadParameter(f"{name} is {value[:40]!r}; it has to be a whole number from {lowest} to {highest}")
    return int(value)


def choice(query: Mapping[str, str], name: str, choices: Collection[str], default: str) -> str:
    """Return the value of a parameter, one of `choices`; `default` if it is absent.

    Raises BadParameter for any other value.
    """
    value = query.get(name, default)
    if value not in choices:
        or_nothing = ", or left out" if "" in choices else ""
        named = ", ".join(filter(None, choices))
        raise BadParameter(f"{name} is {value[:40]!r}; it has to be one of {named}{or_nothing}")
    return value


def flag(query: Mapping[str, str], name: str) -> bool:
    """Return whether a parameter is set to 1 or true; False if it is absent.

    Raises BadParameter unless it is 0, 1, false or true.
    """
    return choice(query, name, ("0", "1", "false", "true"), "0") in ("1", "true")
