"""Rewrites XHTML that is sent as XML to HTML, from which the HTML parser builds the same elements. Pure.

In XML any element may be self-closing: `<script src="x"/>` ends there, while in HTML everything that follows would be
part of the script. So such elements get an end tag, CDATA sections become text, and namespace prefixes, comments and
processing instructions are removed.

If the XML has errors, a browser shows the first error and no page, but here everything readable is read.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final

_ATTRIBUTES: Final = rb"(?:[^>\"']++|\"[^\"]*\"|'[^']*'|[\"'])*+"
_TOKEN: Final = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<!\[CDATA\[(?P<text>.*?)(?:\]\]>|\Z)"
    rb"|<\?.*?(?:\?>|\Z)"
    rb"|<!DOCTYPE[^>]*+>"
    rb"|<(?P<slash>/?)(?P<name>[A-Za-z_\x80-\xff][^ \t\r\n\f/>]*+)(?P<attributes>" + _ATTRIBUTES + rb")>",
    re.DOTALL | re.IGNORECASE,
)
"""A comment, CDATA section, processing instruction, document type, or tag."""
_PROLOG: Final = re.compile(
    rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE[^>\[]*+\[(?P<subset>.*?)\]\s*>", re.DOTALL | re.IGNORECASE
)
"""The text before the root element, if it has declarations."""
_SCRIPT_PART: Final = re.compile(
    rb"<!\[CDATA\[(?P<text>.*?)(?:\]\]>|\Z)|(?P<end></(?:[^ \t\r\n\f/>:]*:)?(?P<name>script|style)[ \t\r\n\f]*>)",
    re.DOTALL | re.IGNORECASE,
)
_BARE_VALUE: Final = re.compile(rb"=[ \t\r\n\f]*[^ \t\r\n\f\"'>]*/\Z")
"""The end of a tag with an unquoted value, which is not XML; the slash may belong to a URL."""
_DOCTYPE: Final = b"<!DOCTYPE html>"
_NAMESPACE: Final = re.compile(rb"\bxmlns:([^\s=]+)\s*=\s*[\"']([^\"']*)[\"']")
_WITHOUT_PREFIX: Final = frozenset(
    {b"http://www.w3.org/1999/xhtml", b"http://www.w3.org/2000/svg", b"http://www.w3.org/1998/Math/MathML"}
)
_XLINK: Final = b"http://www.w3.org/1999/xlink"
_ENTITY: Final = re.compile(rb"<!ENTITY\s+([A-Za-z_][\w.-]*)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>", re.IGNORECASE)
_REFERENCE: Final = re.compile(rb"&([A-Za-z_][\w.-]*);")
_MOST_ENTITIES: Final = 1_000
_MOST_ENTITY_BYTES: Final = 1_000_000
"""Limit of all replacements of entities that the page declares."""

_EMPTY: Final = frozenset(
    b"area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
"""Elements that have no end tag in HTML either."""
_SWALLOWS: Final = frozenset(b"iframe noembed noframes noscript plaintext script style textarea title xmp".split())
"""Elements whose content would take in all following markup if they were not closed."""
_RENAMED: Final = {b"plaintext": b"pre", b"xmp": b"pre"}
"""Elements whose content HTML, unlike XML, does not parse as markup, with their replacements."""


def html_of_xml(xml: bytes) -> bytes:
    """Return `xml`, which is UTF-8, as HTML in UTF-8."""
    return _HtmlWriter(xml).written()


class _HtmlWriter:
    """Writes one page. Mutable."""

    def __init__(self, xml: bytes) -> None:
        self._xml = xml
        self._parts: list[bytes] = []
        self._prefixes: set[bytes] = set()
        self._xlink_prefixes: set[bytes] = set()
        self._entities: dict[bytes, bytes] = {}
        self._room = _MOST_ENTITY_BYTES

    def written(self) -> bytes:
        xml, position = self._xml, 0
        if prolog := _PROLOG.match(xml):
            self._declare(prolog["subset"])
            self._parts.append(_DOCTYPE)
            position = prolog.end()
        end = xml.rfind(b">") + 1  # otherwise an unclosed tag would be searched for from every "<"
        while token := _TOKEN.search(xml, position, end):
            self._add_text(xml[position : token.start()])
            position = token.end()
            if token["name"] is not None:
                position = self._add_tag(token, position, end)
            elif token["text"] is not None:
                self._parts.append(_escaped(token["text"]))
            elif token[0].startswith(b"<!") and not token[0].startswith(b"<!--"):
                self._parts.append(_DOCTYPE)
        self._add_text(xml[position:])
        return b"".join(self._parts)

    def _add_text(self, text: bytes) -> None:
        if self._entities and b"&" in text:
            text = _REFERENCE.sub(self._replaced, text)
        self._parts.append(text)

    def _replaced(self, reference: re.Match[bytes]) -> bytes:
        value = self._entities.get(reference[1], reference[0])
        self._room -= len(value)
        return value if self._room >= 0 else reference[0]

    def _declare(self, subset: bytes) -> None:
        for name, double, single in _ENTITY.findall(subset)[:_MOST_ENTITIES]:
            self._entities.setdefault(name, double or single)

    def _add_tag(self, token: re.Match[bytes], position: int, end: int) -> int:
        """Write a tag; return the position at which to continue reading."""
        written, attributes = token["name"], token["attributes"]
        if b"xmlns:" in attributes:
            self._learn_prefixes(attributes)
        name = self._plain_name(written)
        local = name.lower()
        if token["slash"]:
            self._parts.append(b"</" + name + b">")
            return position
        for prefix in self._xlink_prefixes:
            attributes = attributes.replace(b" " + prefix + b":href", b" xlink:href")
        if self._entities and b"&" in attributes:
            attributes = _REFERENCE.sub(self._replaced, attributes)
        closes_itself = attributes.endswith(b"/") and (local in _SWALLOWS or not _BARE_VALUE.search(attributes))
        if closes_itself:
            attributes = attributes[:-1]
        self._parts.append(b"<" + name + attributes + b">")
        if closes_itself:
            if local not in _EMPTY:
                self._parts.append(b"</" + name + b">")
        elif local in (b"script", b"style"):
            return self._add_script(position, end)
        return position

    def _add_script(self, position: int, end: int) -> int:
        """Write the content of a script or style element; resolve its character references, since HTML does not."""
        while part := _SCRIPT_PART.search(self._xml, position, end):
            self._parts.append(_unescaped(self._xml[position : part.start()]))
            position = part.end()
            if part["end"] is not None:
                self._parts.append(b"</" + part["name"] + b">")
                return position
            self._parts.append(part["text"].replace(b"</", b"<\\/"))
        self._parts.append(self._xml[position:])
        return len(self._xml)

    def _learn_prefixes(self, attributes: bytes) -> None:
        for prefix, namespace in _NAMESPACE.findall(attributes):
            if namespace in _WITHOUT_PREFIX:
                self._prefixes.add(prefix)
            elif namespace == _XLINK and prefix != b"xlink":
                self._xlink_prefixes.add(prefix)

    def _plain_name(self, written: bytes) -> bytes:
        prefix, colon, local = written.partition(b":")
        name = local if colon and prefix in self._prefixes else written
        return _RENAMED.get(name.lower(), name)


def _escaped(text: bytes) -> bytes:
    return text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")


def _unescaped(text: bytes) -> bytes:
    if b"&" not in text:
        return text
    return unescape(text.decode("utf-8", "surrogateescape")).encode("utf-8", "replace").replace(b"</", b"<\\/")
