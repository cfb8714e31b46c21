"""The rule of one setting: its type, its unit, its bounds and the reason for its default.

A section of settings is a frozen dataclass derived from `SettingsSection` whose fields are made with `setting(...)`.
The check of a value, the sentence in an error message and the text of settings.toml all come from these rules, so the
three cannot disagree.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

from hinterland.crawler.settings.near_names import with_nearest


class SettingsError(ValueError):
    """Raised if a setting cannot be used. The message names the setting, its value and what to write instead."""


class Complaint(ValueError):
    """Raised if a value breaks its rule. The message follows the words "section.key = value: "."""


HIDDEN = "***"

Check = Callable[..., None]
"""Checks a single text: the value itself, a member of a list, or the name and value of a table entry. Raises Complaint.
"""


@dataclass(frozen=True, slots=True)
class RowRule:
    """The rule for each table in a list of tables: its keys, whose values are strings.

    `columns` maps each key to its meaning. Values of keys in `open_columns` may be printed and logged; all others are
    hidden. `example` is an example of such a table. `check` is called with a whole table and raises Complaint.
    """

    columns: Mapping[str, str]
    open_columns: Collection[str]
    example: Mapping[str, str]
    check: Callable[[Mapping[str, str]], None]

    def checked(self, row: object) -> Mapping[str, str]:
        """Return `row` as a table.

        Raises Complaint if it is not a table, or has an unknown key or a value that is not a string.
        """
        if not isinstance(row, Mapping):
            raise Complaint(f"expected tables with {', '.join(self.columns)}")
        for key, value in row.items():
            if key not in self.columns:
                raise Complaint(with_nearest(f'there is no key "{key}" here', str(key), list(self.columns)))
            if not isinstance(value, str):
                raise Complaint(f"{key} must be a string, in quotes")
        self.check(row)
        return dict(row)

    def shown(self, rows: object) -> object:
        """Return the tables, with "***" in place of every value that may not be printed."""
        if not isinstance(rows, list | tuple):
            return HIDDEN
        return tuple(
            {key: value if key in self.open_columns else HIDDEN for key, value in row.items()}
            if isinstance(row, Mapping)
            else HIDDEN
            for row in rows
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRule:
    """What one setting may hold, and the reason for its default."""

    default: object
    unit: str
    reason: str
    minimum: float | None = None
    maximum: float | None = None  # only with a minimum
    special: str = ""  # a value with a special meaning, such as "-1: no limit"
    choices: tuple[str, ...] = ()
    check: Check | None = None
    option: str = ""  # the command-line option that sets this key, such as "--policy"
    option_help: str = ""  # the option's help, if `crawl` makes the option from this rule; "" if the command defines it
    implies: Mapping[str, object] = field(default_factory=dict)  # further settings that the option sets, by name
    is_secret: bool = False  # may hold a password; see `shown`
    row: RowRule | None = None  # for a list of tables

    @property
    def bounds(self) -> str:
        """The bounds in words: "at least 0" or "1 to 64"; "" if there are none."""
        if self.minimum is None:
            return ""
        if self.maximum is None:
            return f"at least {plain_number(self.minimum)}"
        return f"{plain_number(self.minimum)} to {plain_number(self.maximum)}"

    @property
    def hint(self) -> str:
        """The unit and bounds, as the comment after the value in settings.toml."""
        if isinstance(self.default, bool):
            return "true or false"
        if self.choices:
            return one_of(self.choices)
        hint = ", ".join(filter(None, (self.unit, self.bounds)))
        return f"{hint} ({self.special})" if self.special else hint

    @property
    def expected(self) -> str:
        """The kind of value that the setting expects, for an error message."""
        match self.default:
            case bool():
                return "true or false"
            case int():
                return f"a whole number ({self.hint})"
            case float():
                return f"a number ({self.hint})"
            case str() if self.choices:
                return one_of(self.choices)
            case str():
                return f"text ({self.hint})"
            case tuple() if self.row is not None:
                return f"a list of tables ({self.hint})"
            case tuple():
                return f"a list of texts ({self.hint})"
        return f"a table of texts ({self.hint})"

    def checked(self, value: object) -> object:
        """Return `value` converted to the type of the default; raises Complaint if it breaks the rule."""
        match self.default:
            case bool():
                if isinstance(value, bool):
                    return value
            case int():
                if isinstance(value, int) and not isinstance(value, bool):
                    return self._within_bounds(value)
            case float():
                if isinstance(value, int | float) and not isinstance(value, bool):
                    return self._within_bounds(float(value))
            case str():
                if isinstance(value, str):
                    return self._usable_text(value)
            case tuple() if self.row is not None:
                if isinstance(value, list | tuple):
                    return tuple(self.row.checked(member) for member in value)
            case tuple():
                if isinstance(value, list | tuple) and all(isinstance(member, str) for member in value):
                    return tuple(self._usable_text(member) for member in value)
            case _:
                if isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values()):
                    return self._usable_table(value)
        raise Complaint(f"expected {self.expected}")

    def _within_bounds(self, number: float) -> float:
        too_small = self.minimum is not None and number < self.minimum
        too_large = self.maximum is not None and number > self.maximum
        if too_small or too_large or not math.isfinite(number):
            raise Complaint(f"expected {self.expected}")
        return number

    def _usable_text(self, text: str) -> str:
        if self.choices and text not in self.choices:
            raise Complaint(f"expected {self.expected}")
        if self.check is not None and (text or isinstance(self.default, tuple)):
            self.check(text)
        return text

    def _usable_table(self, table: Mapping[str, str]) -> Mapping[str, str]:
        if self.check is not None:
            for name, text in table.items():
                self.check(name, text)
        return dict(table)

    def shown(self, value: object) -> object:
        """Return `value` as it may be printed, logged and stored, with secrets replaced by "***".

        Every value of a secret table is secret, and so are the user and password in a secret URL.
        """
        if self.row is not None:
            return self.row.shown(value)
        if not self.is_secret:
            return value
        if isinstance(value, Mapping):
            return dict.fromkeys(value, HIDDEN)
        if isinstance(value, str) and isinstance(self.default, str):
            return re.sub(r"^(.*//)?[^/]*@", rf"\1{HIDDEN}@", value)
        return HIDDEN

    def read(self, text: str) -> object:
        """Return the value that `text` stands for on the command line or in the environment.

        The text is TOML, with three exceptions: strings need no quotes, a list may be given as a,b,c and a table as
        name=value,name=value. A text that fits none of these forms is returned unchanged, so that `checked` refuses it.
        """
        match self.default:
            case str():
                return _toml_value(text) if text[:1] in ('"', "'") else text
            case tuple():
                return _toml_value(text) if text[:1] == "[" else _parts(text)
            case bool() | int() | float():
                return _toml_value(text)
        if text[:1] == "{":
            return _toml_value(text)
        pairs = [part.partition("=") for part in _parts(text)]
        if not all(equals for _, equals, _ in pairs):
            return text
        return {name.strip(): value.strip() for name, _, value in pairs}


def setting(
    default: object,
    unit: str,
    reason: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    special: str = "",
    choices: tuple[str, ...] = (),
    check: Check | None = None,
    option: str = "",
    option_help: str = "",
    implies: Mapping[str, object] = MappingProxyType({}),
    is_secret: bool = False,
    row: RowRule | None = None,
) -> Any:
    """Return a dataclass field that follows a rule; the arguments are the fields of SettingRule."""
    rule = SettingRule(
        default=default,
        unit=unit,
        reason=reason,
        minimum=minimum,
        maximum=maximum,
        special=special,
        choices=choices,
        check=check,
        option=option,
        option_help=option_help,
        implies=implies,
        is_secret=is_secret,
        row=row,
    )
    if isinstance(default, dict):
        return dataclasses.field(default_factory=default.copy, metadata={"rule": rule})
    return dataclasses.field(default=default, metadata={"rule": rule})


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsSection:
    """Base class of sections: groups of settings that are checked on construction.

    The docstring of a section is its introduction in settings.toml.
    """

    name_in_file: ClassVar[str]
    is_kept: ClassVar[bool] = False
    """Whether a resumed crawl keeps the section's values, because changing them during a crawl would make pages appear
    twice or move the border of the domain.
    """
    rows_key: ClassVar[str] = ""
    """The only key of a section whose tables are written as [[section]]; "" for other sections."""
    is_stored: ClassVar[bool] = True
    """Whether the values are written to the store with each run. The places of secrets are not written: a store that is
    passed on must not reveal them, and opening a store must not run a command that is named in it."""

    def __post_init__(self) -> None:
        """Check every value against its rule, then all values together. Raises SettingsError."""
        for key, rule in self.rules().items():
            value = getattr(self, key)
            try:
                object.__setattr__(self, key, rule.checked(value))
            except Complaint as complaint:
                shown = toml(rule.shown(value))
                raise SettingsError(f"{self.name_in_file}.{key} = {shown}: {complaint}.") from None
        try:
            self._check_together()
        except Complaint as complaint:
            raise SettingsError(f"{self.name_in_file}.{complaint}.") from None

    def _check_together(self) -> None:
        """Raise Complaint if two values contradict each other; the complaint begins with the key to change."""

    @classmethod
    def rules(cls) -> dict[str, SettingRule]:
        """Return the rule of every key, in the order of settings.toml."""
        return {field.name: field.metadata["rule"] for field in dataclasses.fields(cls)}


@dataclass(frozen=True, slots=True, kw_only=True)
class EntriesSection(SettingsSection):
    """Base class of sections that are written as [[section]], a table for each entry, and that no store keeps.

    A subclass has one setting, `entries`. Each entry says where a secret is, or how a host is reached.
    """

    rows_key: ClassVar[str] = "entries"
    is_stored: ClassVar[bool] = False


def toml(value: object) -> str:
    """Return `value` as it is written in TOML on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value:_}" if abs(value) >= 10_000 else str(value)
        case float():
            return repr(value)
        case str():
            return _toml_text(value)
        case Mapping():
            pairs = ", ".join(f"{_toml_text(name)} = {toml(member)}" for name, member in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case list() | tuple():
            return f"[{', '.join(map(toml, value))}]"
    return str(value)


def plain_number(number: float) -> str:
    """Return a number as people write it: whole numbers without ".0", the digits of large ones in groups of three."""
    return f"{int(number):,}" if number == int(number) else str(number)


def one_of(choices: Sequence[str]) -> str:
    """Return choices in words: '"a", "b" or "c"'."""
    quoted = [f'"{choice}"' for choice in choices]
    return " or ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def _toml_text(text: str) -> str:
    is_plain = text.isprintable() and "'" not in text
    if is_plain and ("\\" in text or '"' in text):
        return f"'{text}'"  # a literal string: patterns stay readable
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_value(text: str) -> object:
    try:
        document = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return document["value"] if len(document) == 1 else text  # a line break could begin a second key


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
