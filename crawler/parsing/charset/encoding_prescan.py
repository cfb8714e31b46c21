"""Finds the encoding that a page declares in its first bytes, before anything is parsed.

It implements "prescan a byte stream to determine its encoding" of the HTML Standard, 13.2.3.2, which is a small
tokenizer, and "get an XML encoding", which is tried if the tokenizer finds nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import webencodings

PRESCAN_BYTES: Final = 1024
"""How many bytes the standard examines."""
LATE_BYTES: Final = 65_536


@lru_cache(maxsize=1024)
def encoding_of_label(label: str) -> str | None:
    """Return the lower-case name of the encoding with a label such as "latin1", None if unknown (Encoding 4.2)."""
    encoding = webencodings.lookup(label)
    return None if encoding is None else str(encoding.name)


_MARKUP: Final = re.compile(
    rb"<(?:(?P<comment>!--)|(?P<meta>meta)(?=[\t\n\f\r /])|(?P<tag>/?[a-z][^\t\n\f\r >]*)|(?P<other>[!/?]))",
    re.IGNORECASE,
)
# A name, and possibly a value: quoted, bare, or in a quote that is never closed, which takes all the rest.
_ATTRIBUTE: Final = re.compile(
    rb"[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)"
    rb"(?:[\t\n\f\r ]*=[\t\n\f\r ]*"
    rb"(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r >\"'][^\t\n\f\r >]*)|(?=>)|[\"'].*))?",
    re.DOTALL,
)


def declared_encoding(body: bytes) -> str | None:
    """Return the encoding that `body` declares within its first 1024 bytes; None if it declares no known encoding."""
    head = body[:PRESCAN_BYTES]
    if head.startswith(b"<\x00?\x00x\x00"):
        return "utf-16le"
    if head.startswith(b"\x00<\x00?\x00x"):
        return "utf-16be"
    return _usual_meta_encoding(head) or _meta_encoding(head) or xml_encoding(head)


def _usual_meta_encoding(head: bytes) -> str | None:
    """Return the result of `_meta_encoding` from a cache, since a site's pages are often equal up to their <meta>."""
    end = head.find(b">", head.find(b"charset")) + 1
    return _remembered_meta_encoding(head[:end])  # later bytes cannot change the result


def late_declared_encoding(body: bytes) -> str | None:
    """Return the encoding that a later <meta> declares, which would make a browser parse the page again.

    See HTML Standard 13.2.3.4, "changing the encoding while parsing". The first 64 KiB are searched. Returns None if
    there is no such declaration.
    """
    head = body[:LATE_BYTES]
    if b"charset" not in head[PRESCAN_BYTES:].lower():
        return None
    return _meta_encoding(head)


def _meta_encoding(head: bytes) -> str | None:
    position = 0
    while markup := _MARKUP.search(head, position):
        if markup["comment"]:
            position = head.find(b"-->", markup.end() - 2) + 3  # "<!-->" is a whole comment
            if position < 3:
                return None
        elif markup["other"]:
            position = head.find(b">", markup.end()) + 1
            if position < 1:
                return None
        else:
            attributes, position = _attributes(head, markup.end())
            if position == len(head):
                return None  # cut off, so it does not count
            if markup["meta"] and (name := _encoding_of_meta(attributes)):
                return name
    return None


_remembered_meta_encoding: Final = lru_cache(maxsize=256)(_meta_encoding)


def _attributes(head: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    """Return the attributes of a tag (the first of each name) and the position of its ">", or of the end of `head`."""
    attributes: dict[bytes, bytes] = {}
    while attribute := _ATTRIBUTE.match(head, position):
        position = attribute.end()
        name, double, single, bare = attribute.groups()
        attributes.setdefault(name.lower(), double or single or bare or b"")
    end = head.find(b">", position)
    return attributes, len(head) if end < 0 else end


def _encoding_of_meta(attributes: dict[bytes, bytes]) -> str | None:
    label: str | None
    if b"charset" in attributes:
        label = attributes[b"charset"].decode("latin-1")
    elif attributes.get(b"http-equiv", b"").lower() == b"content-type":
        label = label_in_meta_content(attributes.get(b"content", b"").decode("latin-1"))
    else:
        return None
    return _declarable(label) if label else None


_CHARSET: Final = re.compile(
    r"charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\"'\t\n\f\r ;][^\t\n\f\r ;]*)|)",
    re.IGNORECASE,
)


def label_in_meta_content(content: str) -> str | None:
    """Return the label in "text/html; charset=x" (HTML, "extracting a character encoding from a meta element")."""
    charset = _CHARSET.search(content)
    return None if charset is None else next((group for group in charset.groups() if group), None)


_XML_DECLARATION: Final = re.compile(rb"<\?xml([^>]*)>")
_XML_ENCODING: Final = re.compile(rb"encoding[\x00-\x20]*=[\x00-\x20]*(?:\"([^\"]*)\"|'([^']*)')")


def xml_encoding(head: bytes) -> str | None:
    """Return the encoding that an XML declaration names; None if it names no known encoding."""
    declaration = _XML_DECLARATION.match(head)
    if declaration is None or (start := declaration[1].find(b"encoding")) < 0:
        return None
    encoding = _XML_ENCODING.match(declaration[1], start)
    if encoding is None:
        return None
    label = (encoding[1] or encoding[2] or b"").decode("latin-1")
    return None if any(character <= " " for character in label) else _declarable(label)


def _declarable(label: str) -> str | None:
    """Return the encoding that `label` declares.

    A declared UTF-16 is read as UTF-8: since the declaration was readable as ASCII, the page is not in UTF-16.
    """
    name = encoding_of_label(label)
    if name in ("utf-16le", "utf-16be"):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name
