"""A reference to a resource: its purpose, its URL, and its position. Pure."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple


class ResourceKind(IntEnum):
    """What a page or a style sheet uses a resource for. The numbers are stored and must never change."""

    IMAGE = 0
    STYLE = 1
    SCRIPT = 2
    FONT = 3
    ICON = 4
    MEDIA = 5
    """Sound and video."""
    TRACK = 6
    """Subtitles."""
    FRAME = 7
    """A document shown inside the page: <iframe> and <frame>."""
    OBJECT = 8
    """<object> and <embed>: a document, a picture or a program."""
    MANIFEST = 9
    DATA = 10
    """<link rel=preload as=fetch>: data that a script asks for."""


MAX_REFERENCES: Final = 5_000
"""The maximum number of references that are read from a page or a style sheet."""


class Span(NamedTuple):
    """A reference inside a text, such as the value of an attribute.

    `text[start:end]` is the URL as written, with its quotes and escapes, and `url` is the URL without them. `where` is
    the construct that contains it, such as "@import".
    """

    kind: ResourceKind
    url: str
    start: int
    end: int
    where: str


class ResourceReference(NamedTuple):
    """A reference of a page or style sheet, resolved.

    `url` is absolute, in WHATWG form, without a fragment; its scheme is http or https. `where` names the place, such as
    "img srcset" or "style @import".
    """

    kind: ResourceKind
    url: str
    where: str


class Resources(NamedTuple):
    """The distinct references of a page or style sheet, in document order as far as possible.

    `left_out` counts the references that were not read because there are too many.
    """

    references: list[ResourceReference]
    left_out: int
