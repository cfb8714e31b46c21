"""Parses rule files, with an error message for each possible mistake. Pure.

[product]                                # a table of the store
pages = "https://shop.example/item/**"   # the pages it reads
[product.fields]
name = "h1"                              # short for { css = "h1" }
price = { css = ".price", regex = "[0-9.]+", type = "number" }
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from hinterland.crawler.parsing.extraction.rules import KINDS, SELF, TYPES, FieldRule, RuleSet, Source, TableRules
from hinterland.crawler.parsing.extraction.tree import selector_problem
from hinterland.crawler.settings.near_names import nearest

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,49}")
_OWN_COLUMNS: Final = ("page", "url", "record")
_TABLE_KEYS: Final = ("pages", "not_pages", "each", "fields")
_SOURCE_KEYS: Final = (*KINDS, "attribute", "item", "regex", "decimal", "format")
_FIELD_KEYS: Final = (*_SOURCE_KEYS, "type", "list", "required")
_MOST_TABLES: Final = 100
_MOST_FIELDS: Final = 500


class ExtractionRulesError(Exception):
    """Raised if rules are invalid. The message names file, rule and key, and says what is wrong and how to fix it."""


def read_rules(text: str, name: str) -> RuleSet:
    """Return the rules in the text of the file `name`. Raises ExtractionRulesError."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ExtractionRulesError(f"{name} is not TOML: {error}") from error
    if not given:
        raise ExtractionRulesError(f'{name} has no rules; begin with [product] and pages = "https://..."')
    _bound(len(given), _MOST_TABLES, "tables", name)
    return RuleSet([_table(_Place(name, key), key, value) for key, value in given.items()])


def table_of_hook(
    name: str, pages: str | Sequence[str], not_pages: str | Sequence[str], fields: Mapping[str, str | Sequence[str]]
) -> TableRules:
    """Return the table that the hook `name` fills. Raises ExtractionRulesError."""
    place = _Place("hook", name)
    _check_name(place, name, "table")
    wanted, left_out = (_patterns(place.at(key), each) for key, each in (("pages", pages), ("not_pages", not_pages)))
    if not wanted:
        raise place.wrong('pages is empty: name the URLs to read, such as pages="https://shop.example/item/**"')
    if not isinstance(fields, dict) or not fields:
        raise place.wrong('it has no fields: name at least one, such as fields={"price": "number"}')
    rules = [_field_of_hook(place, *each) for each in fields.items()]
    return TableRules(name, wanted, rules, left_out, is_of_hook=True)


def _field_of_hook(place: _Place, name: str, given: str | Sequence[str]) -> FieldRule:
    place = place.at("fields", name)
    _check_name(place, name, "field")
    if name in _OWN_COLUMNS:
        raise place.wrong(f"every table has a column {name} of its own; choose another name")
    kinds = [given] if isinstance(given, str) else list(given)
    if len(kinds) != 1 or kinds[0] not in TYPES:
        raise place.wrong(f'expected a type, or a list with one such as ["text"], not {given!r}; {_types()}')
    return FieldRule(name, [], kinds[0], is_list=not isinstance(given, str))


def _types() -> str:
    return f"types are {', '.join(TYPES)}"


class _Place:
    """A position in a rule file, for error messages."""

    def __init__(self, *path: str) -> None:
        """Take the path: the file, then keys."""
        self._path = path

    def at(self, *path: str) -> _Place:
        """Return the place of a key below this one."""
        return _Place(*self._path, *path)

    def wrong(self, complaint: str) -> ExtractionRulesError:
        """Return an error with this complaint about this place."""
        file, *path = self._path
        return ExtractionRulesError(f"{file}: {'.'.join(path)}: {complaint}")


def _table(place: _Place, name: str, given: object) -> TableRules:
    if not isinstance(given, dict):
        raise place.wrong(f"expected a table [{name}], got {given!r}")
    _check_name(place, name, "table")
    _check_keys(place, given, _TABLE_KEYS)
    pages = _patterns(place.at("pages"), given.get("pages"))
    if not pages:
        raise place.wrong('pages is missing: name the URLs to read, such as pages = "https://shop.example/item/**"')
    not_pages = _patterns(place.at("not_pages"), given.get("not_pages"))
    each = None if "each" not in given else _each(place.at("each"), given["each"])
    fields = given.get("fields")
    if not isinstance(fields, dict) or not fields:
        raise place.wrong(f'it has no fields; add [{name}.fields] and, say, title = "h1"')
    _bound(len(fields), _MOST_FIELDS, "fields", f"{name}.fields")
    rules = [_field(place.at("fields", key), key, value, each) for key, value in fields.items()]
    return TableRules(name, pages, rules, not_pages, each)


def _patterns(place: _Place, given: object) -> list[str]:
    patterns = _texts(place, given)
    for pattern in patterns:
        if not pattern.startswith(("http://", "https://", "*")):
            raise place.wrong(
                f"a pattern must match whole URLs, so {pattern!r} must begin with http://, https:// or **;"
                " * stands for any text without / and ?, ** for any text"
            )
    return patterns


def _each(place: _Place, given: object) -> Source:
    if isinstance(given, str):
        given = {"css": given}
    if not isinstance(given, dict) or len(given) != 1 or not set(given) <= {"css", "jsonld", "microdata"}:
        raise place.wrong(
            'expected a selector, { jsonld = "Product" } or { microdata = "Product" }'
            f" (each match becomes one record); got {given!r}"
        )
    [(kind, where)] = given.items()
    where = _text(place.at(kind), where)
    _check_where(place.at(kind), kind, where)
    return Source(kind, where)


def _field(place: _Place, name: str, given: object, each: Source | None) -> FieldRule:
    _check_name(place, name, "field")
    if name in _OWN_COLUMNS:
        raise place.wrong(f"every table has a column {name} of its own; choose another name")
    alternatives = given if isinstance(given, list) else [given]
    if not alternatives:
        raise place.wrong("the list of sources is empty; give at least one")
    shared: dict[str, Any] = {}
    sources = []
    for number, alternative in enumerate(alternatives, 1):
        at = place if len(alternatives) == 1 else place.at(str(number))
        rule = {"css": alternative} if isinstance(alternative, str) else alternative
        if not isinstance(rule, dict):
            raise at.wrong(f'expected a selector, or {{ css = ".price", type = "number" }} or the like; got {rule!r}')
        _check_keys(at, rule, _FIELD_KEYS)
        for key in ("type", "list", "required"):
            if key in rule and shared.setdefault(key, rule[key]) != rule[key]:
                raise at.at(key).wrong(
                    f"it is {rule[key]!r} here, but {shared[key]!r} in another source of this field; make them equal"
                )
        sources.append(_source(at, rule, each))
    kind = _text(place.at("type"), shared.get("type", "text"))
    if kind not in TYPES:
        raise place.at("type").wrong(f"there is no type {kind!r}; {_choice(kind, TYPES)}")
    for source in sources:
        if source.format and kind not in ("date", "datetime"):
            raise place.at("format").wrong('format needs type = "date" or "datetime"')
        if kind == "html" and (source.kind != "css" or source.attribute):
            raise place.at("type").wrong(
                '"html" keeps a whole element; select the element by css, and leave out attribute'
            )
    return FieldRule(
        name,
        sources,
        kind,
        _flag(place.at("list"), shared.get("list", False)),
        _flag(place.at("required"), shared.get("required", False)),
    )


def _source(place: _Place, given: Mapping[str, Any], each: Source | None) -> Source:
    kinds = [kind for kind in KINDS if kind in given]
    if not kinds and "attribute" in given and each is not None and each.kind == "css":
        kinds, given = ["css"], {**given, "css": SELF}
    if len(kinds) != 1:
        found = " and ".join(kinds) if kinds else "none"
        raise place.wrong(f"a source has exactly one of {', '.join(KINDS)}; this one has {found}")
    [kind] = kinds
    if kind == "url":
        if given["url"] is not True:
            raise place.at("url").wrong("url = true takes the page's URL; add regex to take a part of it")
        where = ""
    else:
        where = _text(place.at(kind), given[kind])
        _check_where(place.at(kind), kind, where, in_each=each)
    if each is not None and each.kind != "css" and kind == "css":
        raise place.at("css").wrong(f"{each.kind} items have no elements to search with css; use {each.kind}")
    if "attribute" in given and kind != "css":
        raise place.at("attribute").wrong(
            f"only elements have attributes; write attribute together with css, not with {kind}"
        )
    if "item" in given and kind not in ("jsonld", "microdata"):
        raise place.at("item").wrong(f"it names the type of an item: use it with jsonld or microdata, not with {kind}")
    regex = _text(place.at("regex"), given["regex"]) if "regex" in given else ""
    try:
        re.compile(regex)
    except re.error as error:
        raise place.at("regex").wrong(f"{regex!r} is not a regular expression: {error}") from error
    decimal = _text(place.at("decimal"), given.get("decimal", "."))
    if decimal not in (".", ","):
        raise place.at("decimal").wrong(f'the decimal mark must be "." or ",", not {decimal!r}')
    return Source(
        kind=kind,
        where=where,
        attribute=_text(place.at("attribute"), given["attribute"]).lower() if "attribute" in given else "",
        item=_text(place.at("item"), given["item"]) if "item" in given else "",
        regex=regex,
        decimal=decimal,
        format=_text(place.at("format"), given["format"]) if "format" in given else "",
    )


def _check_where(place: _Place, kind: str, where: str, in_each: Source | None = None) -> None:
    if not where.strip():
        raise place.wrong("it is empty")
    if kind != "css":
        return
    if where == SELF:
        if in_each is None or in_each.kind != "css":
            raise place.wrong(f"{SELF} is the element that `each` finds by css, and this table has no such `each`")
        return
    if problem := selector_problem(where):
        raise place.wrong(f"{where!r} is not a usable CSS selector: {problem}")


def _check_name(place: _Place, name: str, noun: str) -> None:
    if not _NAME.fullmatch(name):
        raise place.wrong(
            f"the name of a {noun} must consist of small letters, digits and _, and begin with a letter, such as"
            " price_2"
        )


def _check_keys(place: _Place, given: Collection[str], known: Sequence[str]) -> None:
    for key in given:
        if key not in known:
            raise place.at(key).wrong(f"there is no such key; {_choice(key, known)}")


def _choice(given: str, known: Sequence[str]) -> str:
    return f'the nearest is "{nearest(given, known)}". All of them: {", ".join(known)}'


def _text(place: _Place, given: object) -> str:
    if not isinstance(given, str):
        raise place.wrong(f'expected a string in "quotes", got {given!r}')
    return given


def _texts(place: _Place, given: object) -> list[str]:
    if given is None:
        return []
    return [_text(place, each) for each in (given if isinstance(given, list | tuple) else [given])]


def _flag(place: _Place, given: object) -> bool:
    if not isinstance(given, bool):
        raise place.wrong(f"expected true or false, got {given!r}")
    return given


def _bound(count: int, most: int, noun: str, where: str) -> None:
    if count > most:
        raise ExtractionRulesError(f"{where}: {count} {noun}; the limit is {most}")
