"""Hooks: functions of others that take records out of a page, where rules do not reach.

They run in a process that may be killed, and there whatever they do costs their records of one page: what they raise
is told, what they print is kept from the terminal and told, and to leave the program is taken for an error.
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
    """A page as a hook sees it. url: its canonical URL; html: its source, decoded."""

    def __init__(self, url: str, html: bytes, page: PageTree) -> None:
        self.url = url
        self._html = html
        self._page = page

    @property
    def html(self) -> str:
        return self._html.decode("utf-8", "replace")

    def all(self, selector: str) -> Sequence[Element]:
        """The elements that a CSS selector finds: nodes of selectolax.lexbor."""
        return self._page.all(selector)

    def first(self, selector: str) -> Element | None:
        return self._page.first(selector)

    def text(self, element: Element | None = None) -> str:
        """What an element shows, or the page: white space collapsed, but for the lines of a <pre>."""
        element = element or self._page.first("body")
        return "" if element is None else text_of(element)


class HookFunction(Protocol):
    def __call__(self, page: HookPage, /) -> Iterable[Mapping[str, object]] | Mapping[str, object] | None:
        """The records of a page: mappings of names of fields to values; one, several or none."""


@dataclass(frozen=True, slots=True)
class Hook:
    """Fills one table. pages, not_pages: patterns of URLs, as in rules. fields: name -> type (see rules.TYPES), or a
    list with a type in it for a field of several values. table: its name, where the hook is handed over by itself; that
    of the function `read` if empty.
    """

    pages: str | Sequence[str]
    fields: Mapping[str, str | Sequence[str]]
    read: HookFunction
    not_pages: str | Sequence[str] = ()
    table: str = ""


HOOKS: dict[str, Hook] = {}
"""Those that plug-ins have brought in, by the names of their tables."""


class HookFailed(Exception):
    """A hook has not done what it should. The message says what it did. is_memory: it asked for more than there is."""

    def __init__(self, message: str, *, is_memory: bool = False) -> None:
        super().__init__(message)
        self.is_memory = is_memory


def hook_rules(name: str, hook: Hook) -> TableRules:
    """The table that a hook fills. Raises ExtractionRulesError."""
    return table_of_hook(name, hook.pages, hook.not_pages, hook.fields)


def records_of(hook: Hook, rules: TableRules, page: HookPage, most: int) -> list[str]:
    """JSON objects, as those of rules; no more than that many. Raises HookFailed."""
    said = _CapturedOutput()
    fields = {field.name: field for field in rules.fields}
    records = []
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            for record in _given(hook.read(page)):
                records.append(msgspec.json.encode(_checked(record, fields)).decode())
                if len(records) >= most:
                    break
    except MemoryError:
        raise HookFailed("it needs more memory than there is", is_memory=True) from None
    except BaseException as error:  # whatever it is, SystemExit among it, it must not be the end of the process
        raise HookFailed(_told(error)) from None
    if said.text:
        raise HookFailed(f"it printed {said.text!r}")
    return records


class _CapturedOutput(io.TextIOBase):
    """Keeps the beginning of what is written to it."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str, /) -> int:
        self.text += text[: _MOST_SAID - len(self.text)]
        return len(text)


def _given(found: object) -> Iterator[Mapping[str, object]]:
    if found is None:
        return
    if isinstance(found, Mapping):
        yield found
        return
    if not isinstance(found, Iterable) or isinstance(found, str | bytes):
        raise TypeError(f"a hook gives dicts, not {found!r:.100}")
    for record in found:
        if not isinstance(record, Mapping):
            raise TypeError(f"a hook gives dicts, not {record!r:.100}")
        yield record


def _checked(record: Mapping[str, object], fields: Mapping[str, FieldRule]) -> dict[str, Value | list[Value]]:
    checked: dict[str, Value | list[Value]] = {}
    for name, value in record.items():
        field = fields.get(name)
        if field is None:
            raise KeyError(f"there is no field {name!r}; all of them: {', '.join(fields)}")
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


def _told(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    line = f", line {frames[-1].lineno} of {frames[-1].filename.rpartition('/')[2]}" if frames else ""
    message = " ".join(str(error).split())[:_MOST_SAID]
    return f"it raised {type(error).__name__}{': ' if message else ''}{message}{line}"
