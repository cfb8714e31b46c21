"""Ranges of numbers as people type them: "3", "2-5", "4-", "-3", "<100k", ">= 1.5M", "4xx". Pure."""

from __future__ import annotations

import re
from typing import Final

from hinterland.storage.values.page_table import NO_STATUS, Span
from hinterland.web.parameters import BadParameter

_NUMBER: Final = r"\d{1,12}(?:\.\d{1,6})?\s*[a-z]{0,5}"
_SPAN: Final = re.compile(rf"({_NUMBER})?\s*(?:-|–|\.\.|to)\s*({_NUMBER})?", re.ASCII)
_BOUND: Final = re.compile(rf"([<>])=?\s*({_NUMBER})", re.ASCII)
_CLASS: Final = re.compile(r"([1-5])xx", re.ASCII)
_UNITS: Final = {"": 1.0, "b": 1.0, "bytes": 1.0, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9}
_SECONDS: Final = {"": 1.0, "ms": 1e-3, "s": 1.0, "min": 60.0}
_NO_UNITS: Final = {"": 1.0}

LONGEST_SPAN: Final = 60


def status_span(name: str, text: str) -> Span:
    """Parse a range of statuses, such as "404", "4xx" or "400-403".

    "none" selects visited pages without a status.
    """
    written = text.strip().lower()
    if written == "none":
        return NO_STATUS
    if found := _CLASS.fullmatch(written):
        return 100 * int(found[1]), 100 * int(found[1]) + 99
    return _span(name, written, _NO_UNITS, "404, 4xx, 400-403 or none", is_alone_exact=True)


def count_span(name: str, text: str) -> Span:
    """Parse a range of counts; a single number is exact."""
    return _span(name, text.strip().lower(), _NO_UNITS, "3, 2-5, 4- or -3", is_alone_exact=True)


def size_span(name: str, text: str) -> Span:
    """Parse a range of sizes in bytes, with units; a single size is the minimum."""
    return _span(name, text.strip().lower(), _UNITS, "100k, 100k-2M or -5000", is_alone_exact=False)


def seconds_span(name: str, text: str) -> Span:
    """Parse a range of times in seconds, with units; a single time is the minimum."""
    return _span(name, text.strip().lower(), _SECONDS, "2, 0.5-2, -100ms or 1min-", is_alone_exact=False)


def _span(name: str, text: str, units: dict[str, float], such_as: str, *, is_alone_exact: bool) -> Span:
    if not text:
        return None, None
    span: Span | None = None
    if found := _BOUND.fullmatch(text):
        bound = _number(found[2], units)
        span = (bound, None) if found[1] == ">" else (None, bound)
    elif (alone := _number(text, units)) is not None:
        span = (alone, alone if is_alone_exact else None)
    elif found := _SPAN.fullmatch(text):
        span = _number(found[1], units), _number(found[2], units)
    if span is None or span == (None, None):
        raise BadParameter(f"{name} is {text[:LONGEST_SPAN]!r}; write for example {such_as}")
    low, high = span
    if low is not None and high is not None and low > high:
        raise BadParameter(f"{name} is {text[:LONGEST_SPAN]!r}; the lower bound comes first")
    return span


def _number(text: str | None, units: dict[str, float]) -> float | None:
    """Return the number that a text such as "2.5M" stands for; None if there is none or its unit is unknown."""
    found = re.fullmatch(r"([\d.]+)\s*([a-z]*)", text or "", re.ASCII)
    if found is None or found[2] not in units:
        return None
    try:
        return float(found[1]) * units[found[2]]
    except ValueError:
        return None
