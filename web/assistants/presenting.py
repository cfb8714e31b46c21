"""Turns answers into the forms that a model receives: without invisible characters, as JSON and as text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from hinterland.web.assistants.quoting import cleaned, one_line
from hinterland.web.assistants.values import MOST_URL, Answer

_WITH_LINES: Final = "text"
"""The field that keeps its line breaks. It comes last in the text form, so that no line in it can pose as a field."""
_LONGEST: Final[Mapping[str, int]] = {"url": MOST_URL, "snippet": 500, "description": 500}
_LONGEST_OTHERS: Final = 300


def presentable(answer: Answer) -> dict[str, Any]:
    """Return an answer as plain values without invisible characters. Only the field `text` keeps its line breaks."""
    found: dict[str, Any] = _presentable("", msgspec.to_builtins(answer))
    return found


def _presentable(name: str, value: Any) -> Any:
    match value:
        case str():
            return cleaned(value) if name == _WITH_LINES else one_line(value, _LONGEST.get(name, _LONGEST_OTHERS))
        case dict():
            return {one_line(key, _LONGEST_OTHERS): _presentable(key, each) for key, each in value.items()}
        case list() | tuple():
            return [_presentable(name, each) for each in value]
    return value


def as_text(answer: Mapping[str, Any]) -> str:
    """Return an answer as text: lines "name: value", lists indented below their names, and the field `text` last."""
    lines = list(_lines({name: value for name, value in answer.items() if name not in ("about", _WITH_LINES)}, ""))
    if _WITH_LINES in answer:
        lines += ["text:", "", answer[_WITH_LINES]]
    return "\n".join(lines)


def _lines(answer: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, value in answer.items():
        match value:
            case None | "" | []:
                continue
            case {"place": place, "of": of}:
                yield f"{indent}{name}: {place} of {of}"
            case dict():
                yield f"{indent}{name}:"
                yield from _lines(value, indent + "  ")
            case list():
                yield f"{indent}{name}:"
                yield from _items(value, indent + "  ")
            case _:
                yield f"{indent}{name}: {value}"


def _items(items: Sequence[Any], indent: str) -> Iterator[str]:
    for item in items:
        if isinstance(item, dict):
            first, *rest = list(_lines(item, indent + "  ")) or [f"{indent}  -"]
            yield f"{indent}- {first.lstrip()}"
            yield from rest
        else:
            yield f"{indent}- {item}"
