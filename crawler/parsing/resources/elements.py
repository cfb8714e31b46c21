"""Which attributes of HTML elements refer to resources, and what their values refer to. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from hinterland.crawler.parsing.html.page_elements import tokens
from hinterland.crawler.parsing.html.page_parts import REFERRING_ATTRIBUTES
from hinterland.crawler.parsing.resources.references import ResourceKind, Span
from hinterland.crawler.parsing.resources.srcset import candidates
from hinterland.crawler.parsing.resources.style_sheets import normalised, spans_of_css

Attributes = Mapping[str, str | None]


class AttributeReferences(NamedTuple):
    """The references in the value of an attribute.

    Spans are positions in `value`. This is the attribute's value; if it is a style, its newlines are normalised.
    """

    name: str
    value: str
    spans: list[Span]


_IMAGE, _STYLE, _SCRIPT, _ICON = ResourceKind.IMAGE, ResourceKind.STYLE, ResourceKind.SCRIPT, ResourceKind.ICON
_MEDIA, _FRAME, _OBJECT = ResourceKind.MEDIA, ResourceKind.FRAME, ResourceKind.OBJECT

URLS_OF_ELEMENTS: Final[Mapping[str, Mapping[str, ResourceKind]]] = {
    "img": {"src": _IMAGE},
    "input": {"src": _IMAGE},
    "video": {"src": _MEDIA, "poster": _IMAGE},
    "audio": {"src": _MEDIA},
    "source": {"src": _MEDIA},
    "track": {"src": ResourceKind.TRACK},
    "script": {"src": _SCRIPT, "href": _SCRIPT, "xlink:href": _SCRIPT},
    "iframe": {"src": _FRAME},
    "frame": {"src": _FRAME},
    "object": {"data": _OBJECT},
    "embed": {"src": _OBJECT},
    "image": {"href": _IMAGE, "xlink:href": _IMAGE},
    "use": {"href": _IMAGE, "xlink:href": _IMAGE},
    "feimage": {"href": _IMAGE, "xlink:href": _IMAGE},
}
LAZY_URLS: Final = (
    "data-src", "data-lazy-src", "data-original", "data-lazy", "data-url", "data-hi-res-src", "data-fallback-src",
)  # fmt: skip
"""Attributes from which the usual scripts for lazy loading take the URL once a picture or frame comes into view."""
LAZY_SRCSETS: Final = ("data-srcset", "data-lazy-srcset", "data-original-set")
LAZY_ELEMENTS: Final[Mapping[str, ResourceKind]] = {"img": _IMAGE, "source": _IMAGE, "iframe": _FRAME, "video": _MEDIA}
_SVG_ELEMENTS: Final = frozenset({"image", "use", "feimage"})
_PROGRAMS: Final = re.compile(
    r"|module|(?:text|application)/(?:x-)?(?:javascript|ecmascript|jscript|livescript)(?:1\.[0-5])?"
)
"""The types of scripts that browsers run (HTML Standard, 4.12.1); they do not load scripts of other types."""
_PRELOADED: Final[Mapping[str, ResourceKind]] = {
    "style": _STYLE, "script": _SCRIPT, "font": ResourceKind.FONT, "image": _IMAGE, "fetch": ResourceKind.DATA,
    "track": ResourceKind.TRACK, "audio": _MEDIA, "video": _MEDIA,
}  # fmt: skip
_ICONS: Final = frozenset({"icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"})


def references_of(tag: str, attributes: Attributes) -> list[AttributeReferences]:
    """Return the references in the attributes of an element; `tag` is in lower case."""
    found = [_lone(name, kind, attributes, tag) for name, kind in _urls_of(tag, attributes)]
    for name, kind in _srcsets_of(tag, attributes):
        value = attributes[name] or ""
        found.append(
            AttributeReferences(
                name, value, [Span(kind, each.url, each.start, each.end, f"{tag} {name}") for each in candidates(value)]
            )
        )
    if style := attributes.get("style"):
        value = normalised(style)
        spans = [span._replace(where=f"style attribute {span.where}") for span in spans_of_css(value, is_sheet=False)]
        found.append(AttributeReferences("style", value, spans))
    return [each for each in found if each.spans]


def _lone(name: str, kind: ResourceKind, attributes: Attributes, tag: str) -> AttributeReferences:
    """Return the reference of an attribute that holds one URL; without spans if it leads to the document itself."""
    value = attributes[name] or ""
    url = value.strip(" \t\n\f\r")
    is_usable = url and not url.startswith("#") and url[:5].lower() != "data:"
    return AttributeReferences(name, value, [Span(kind, url, 0, len(value), f"{tag} {name}")] if is_usable else [])


def _urls_of(tag: str, attributes: Attributes) -> list[tuple[str, ResourceKind]]:
    """Return the attributes that hold one URL, each with the kind of its resource."""
    if tag == "link":
        kind = _kind_of_link(attributes)
        return [("href", kind)] if kind is not None and attributes.get("href") else []
    found = [(name, kind) for name, kind in URLS_OF_ELEMENTS.get(tag, {}).items() if attributes.get(name)]
    if not _loads(tag, attributes):
        found = []
    if tag in _SVG_ELEMENTS and attributes.get("href"):
        found = [each for each in found if each[0] == "href"]  # SVG 2, 16.1.5: href wins
    if (kind := LAZY_ELEMENTS.get(tag)) is not None:
        found += [(name, kind) for name in LAZY_URLS if attributes.get(name)]
    found += [(name, _IMAGE) for name in REFERRING_ATTRIBUTES if attributes.get(name) and _is_url(name, tag)]
    return found


def _loads(tag: str, attributes: Attributes) -> bool:
    """Return whether a browser loads the URL of an element."""
    match tag:
        case "script":
            return _PROGRAMS.fullmatch((attributes.get("type") or "").strip().lower()) is not None
        case "input":
            return (attributes.get("type") or "").lower() == "image"
        case "iframe":
            return attributes.get("srcdoc") is None
        case _:
            return True


def _is_url(name: str, tag: str) -> bool:
    return name != "background" or tag in ("body", "table", "thead", "tbody", "tfoot", "tr", "td", "th")


def _srcsets_of(tag: str, attributes: Attributes) -> list[tuple[str, ResourceKind]]:
    if tag == "link":
        return [("imagesrcset", _IMAGE)] if attributes.get("imagesrcset") else []
    if tag not in ("img", "source"):
        return []
    return [(name, _IMAGE) for name in ("srcset", *LAZY_SRCSETS) if attributes.get(name)]


def _kind_of_link(attributes: Attributes) -> ResourceKind | None:
    """Return the kind of resource that a <link> loads; None if the link loads nothing."""
    relations = tokens(attributes.get("rel"))
    if "stylesheet" in relations:
        return _STYLE
    if not _ICONS.isdisjoint(relations):
        return _ICON
    if "manifest" in relations:
        return ResourceKind.MANIFEST
    if "modulepreload" in relations:
        return _SCRIPT
    if "preload" in relations:
        return _PRELOADED.get((attributes.get("as") or "").strip().lower())
    return None
