"""Reads the Content-Type header field as browsers do: leniently, and everywhere in the same way.

MIME Sniffing Standard 4.4, "parse a MIME type"; Fetch Standard, "get, decode, and split" and "extract a MIME type".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_WHITESPACE: Final = "\t\n\r "
_TOKEN: Final = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z]+")
_PARAMETER_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_LIST_MEMBER: Final = re.compile(r"(?:[^\",]|\"(?:[^\"\\]|\\.)*(?:\"|\\?$))*", re.DOTALL)
_QUOTED: Final = re.compile(r"\"((?:[^\"\\]|\\.)*)", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_BEGINNING: Final = re.compile(rf"[\t\n\r ]*({_TOKEN.pattern}/{_TOKEN.pattern})")


@dataclass(frozen=True, slots=True)
class ContentType:
    """A media type."""

    essence: str
    """Type and subtype in lower case: "text/html"."""
    charset: str | None = None
    """The value of the charset parameter, as written; None if there is none."""


@lru_cache(maxsize=1024)
def parse_content_type(field: str) -> ContentType | None:
    """Return the media type in a Content-Type field; None if the field has none.

    Several fields may have been joined by commas. The last type counts; it inherits the charset of an equal type before
    it.
    """
    found: ContentType | None = None
    for member in _members(field):
        each = _media_type(member)
        if each is None or each.essence == "*/*":
            continue
        if each.charset is None and found is not None and found.essence == each.essence:
            continue
        found = each
    return found


@lru_cache(maxsize=1024)
def essence_of(field: str | None) -> str:
    """Return the media type of a body, such as "text/html"; a body without a known type counts as HTML."""
    return declared_type(field) or "text/html"


@lru_cache(maxsize=1024)
def declared_type(field: str | None) -> str:
    """Return the media type that a field declares, such as "text/html"; "" if it declares none.

    If browsers find no type in a field, they look at the body. Here the beginning of the field is used instead:
    "text/html charset=utf-8" declares text/html.
    """
    parsed = parse_content_type(field or "")
    if parsed is not None:
        return parsed.essence
    beginning = _BEGINNING.match(field or "")
    return beginning[1].lower() if beginning and beginning[1] != "*/*" else ""


@lru_cache(maxsize=1024)
def is_xml(field: str | None) -> bool:
    """Return whether a body of this type is parsed as XML (MIME Sniffing Standard, 4.6, "XML MIME type")."""
    essence = essence_of(field)
    return essence.endswith("+xml") or essence in ("text/xml", "application/xml")


def _members(field: str) -> list[str]:
    members = []
    position = 0
    while position <= len(field):
        match = _LIST_MEMBER.match(field, position)
        assert match is not None  # it matches the empty string
        members.append(match[0])
        position = match.end() + 1
    return members


def _media_type(text: str) -> ContentType | None:
    essence, _, rest = text.strip(_WHITESPACE).partition(";")
    kind, slash, subtype = essence.rstrip(_WHITESPACE).partition("/")
    if not slash or not _TOKEN.fullmatch(kind) or not _TOKEN.fullmatch(subtype):
        return None
    return ContentType(f"{kind}/{subtype}".lower(), _charset(rest))


def _charset(parameters: str) -> str | None:
    position = 0
    while position < len(parameters):
        name_end = _find_any(parameters, ";=", position)
        name = parameters[position:name_end].lstrip(_WHITESPACE).lower()
        position = name_end + 1
        if parameters[name_end : name_end + 1] != "=":
            continue
        if quoted := _QUOTED.match(parameters, position):
            value = _ESCAPE.sub(r"\1", quoted[1])
            position = _find_any(parameters, ";", quoted.end()) + 1
        else:
            end = _find_any(parameters, ";", position)
            value = parameters[position:end].rstrip(_WHITESPACE)
            position = end + 1
            if not value:
                continue
        if name == "charset" and _PARAMETER_VALUE.fullmatch(value):
            return value
    return None


def _find_any(text: str, characters: str, start: int) -> int:
    return min((at for each in characters if (at := text.find(each, start)) >= 0), default=len(text))
