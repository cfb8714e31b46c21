"""Hooks: functions of users that extract records from pages where rules are not enough.

They run in a process that may be killed. A failing hook loses only its records of one page. What it raises or prints is
reported, and does not reach the terminal. An attempt to exit counts as an error.
"""

from __future__ import annotations

import contextlib
import io
import math
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Protocol

import msgspec

from hinterland.crawler.parsing.extraction.rule_file import table_of_hook
from hinterland.crawler.parsing.extraction.rules import FieldRule, TableRules
from hinterland.crawler.parsing.extraction.tree import Element, PageTree, text_of
from hinterland.crawler.parsing.extraction.values import LARGEST_INTEGER, MOST_CHARACTERS, Value

_MOST_SAID: Final = 200


class HookPage:
    """A page as a hook sees it.

    `url` is its canonical URL, `html` its decoded source.
    """

    def __init__(self, url: str, html: bytes, page: PageTree) -> None:
        """Wrap a parsed page; `html` is UTF-8."""
        self.url = url
        self._html = html
        self._page = page

    @property
    def html(self) -> str:
        """The decoded source of the page."""
        return self._html.decode("utf-8", "replace")

    def all(self, selector: str) -> Sequence[Element]:
        """Return the elements that a CSS selector matches, as selectolax.lexbor nodes."""
        return self._page.all(selector)

    def first(self, selector: str) -> Element | None:
        """Return the first element that a CSS selector matches, or None."""
        return self._page.first(selector)

    def text(self, element: Element | None = None) -> str:
        """Return the visible text of an element, or of the page.

        White space is collapsed; the lines of a <pre> are kept.
        """
        element = element or self._page.first("body")
        return "" if element is None else text_of(element)


class HookFunction(Protocol):
    """The function of a hook."""

    def __call__(self, page: HookPage, /) -> Iterable[Mapping[str, object]] | Mapping[str, object] | None:
        """Return the records of a page, as dicts of field names and values: one dict, several dicts, or None."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A function that fills one table from the pages it reads.

    `pages` and `not_pages` are URL patterns, as in rules. `fields` maps each name to a type (see rules.TYPES), or to a
    list with one type for a field with several values. `table` is the name of the table if the hook is passed as an
    object; if it is empty, the name of the function `read` is used.
    """

    pages: str | Sequence[str]
    fields: Mapping[str, str | Sequence[str]]
    read: HookFunction
    not_pages: str | Sequence[str] = ()
    table: str = ""


HOOKS: dict[str, Hook] = {}
"""The hooks of plug-ins by table name."""


class HookFailed(Exception):
    """Raised if a hook failed. The message says what the hook did.

    `is_memory` says that memory ran out.
    """

    def __init__(self, message: str, *, is_memory: bool = False) -> None:
        """Take the message, and whether memory ran out."""
        super().__init__(message)
        self.is_memory = is_memory


def hook_rules(name: str, hook: Hook) -> TableRules:
    """Return the rules of the table that a hook fills. Raises ExtractionRulesError."""
    return table_of_hook(name, hook.pages, hook.not_pages, hook.fields)


def records_of(hook: Hook, rules: TableRules, page: HookPage, most: int) -> list[str]:
    """Return the hook's records of a page as JSON objects, at most `most`.

    Raises HookFailed.
    """
    said = _CapturedOutput()
    fields = {field.name: field for field in rules.fields}
    records = []
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            for record in _records(hook.read(page)):
                records.append(msgspec.json.encode(_checked(record, fields)).decode())
                if len(records) >= most:
                    break
    except MemoryError:
        raise HookFailed("it ran out of memory", is_memory=True) from None
    except BaseException as error:  # whatever it is, including SystemExit, it must not end the process
        raise HookFailed(_error_text(error)) from None
    if said.text:
        raise HookFailed(f"it printed {said.text!r}")
    return records


class _CapturedOutput(io.TextIOBase):
    """A stream that keeps only the first characters written to it."""

    def __init__(self) -> None:
        """Start empty."""
        self.text = ""

    def write(self, text: str, /) -> int:
        """Keep the text, as far as there is room for it."""
        self.text += text[: _MOST_SAID - len(self.text)]
        return len(text)


def _records(found: object) -> Iterator[Mapping[str, object]]:
    if found is None:
        return
    if isinstance(found, Mapping):
        yield found
        return
    if not isinstance(found, Iterable) or isinstance(found, str | bytes):
        raise TypeError(f"a hook must return dicts, not {found!r:.100}")
    for record in found:
        if not isinstance(record, Mapping):
            raise TypeError(f"a hook must return dicts, not {record!r:.100}")
        yield record


def _checked(record: Mapping[str, object], fields: Mapping[str, FieldRule]) -> dict[str, Value | list[Value]]:
    checked: dict[str, Value | list[Value]] = {}
    for name, value in record.items():
        field = fields.get(name)
        if field is None:
            raise KeyError(f"there is no field {name!r}; the fields are: {', '.join(fields)}")
        if value is None:
            continue
        if not field.is_list:
            checked[name] = _value(field, value)
        elif isinstance(value, list | tuple | set | frozenset):
            checked[name] = [_value(field, each) for each in value]
        else:
            raise TypeError(f"{name} is a list of {field.type}, not {value!r:.100}")
    return checked


def _value(field: FieldRule, value: object) -> Value:
    match field.type, value:
        case (("text" | "url" | "html"), str()):
            return value[:MOST_CHARACTERS]
        case "boolean", bool():
            return value
        case _, bool():
            pass
        case "integer", int() if abs(value) <= LARGEST_INTEGER:
            return value
        case "number", (int() | float()) if math.isfinite(value):
            return float(value)
        case "date", datetime():
            return value.date().isoformat()
        case "date", date():
            return value.isoformat()
        case "datetime", datetime():
            return value.isoformat()
        case "date", str():
            return date.fromisoformat(value).isoformat()
        case "datetime", str():
            return datetime.fromisoformat(value).isoformat()
    raise TypeError(f"{field.name} is of type {field.type}, not {value!r:.100}")


def _error_text(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    line = f", line {frames[-1].lineno} of {frames[-1].filename.rpartition('/')[2]}" if frames else ""
    message = " ".join(str(error).split())[:_MOST_SAID]
    return f"it raised {type(error).__name__}{': ' if message else ''}{message}{line}"
