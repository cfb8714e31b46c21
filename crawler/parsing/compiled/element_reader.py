"""`page_elements.read_elements` in C: it walks the same tree in the same way, in a quarter of the time.

The C code calls the public functions of the Lexbor inside the selectolax package. If there is a compiler,
`reader_building` compiles it during set-up and checks it before anything uses it.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import selectolax.lexbor

from hinterland.crawler.parsing.compiled.freed_memory import LARGE_BYTES, release_freed_memory
from hinterland.crawler.parsing.html.page_bounds import (
    MAX_ANCHOR_CHARACTERS,
    MAX_BYTES_OF_PATHS,
    MAX_HEADING_CHARACTERS,
    MAX_HEADINGS,
    MAX_NAME_BYTES,
    MAX_PATH_ELEMENTS,
    MAX_TITLE_CHARACTERS,
)
from hinterland.crawler.parsing.html.page_elements import DOCUMENT_OPTIONS, ROLES, PageElements, tag_ids


class CompiledReader:
    """A compiled reader, to be called like `read_elements`. Not thread-safe, since the library has global state.

    It raises MemoryError for a page that needs more memory than is available.
    """

    def __init__(self, path: Path) -> None:
        """Load the library at `path`.

        Raises OSError if that fails, AttributeError if Lexbor lacks the functions it needs.
        """
        lexbor = ctypes.CDLL(selectolax.lexbor.__file__)
        library = ctypes.CDLL(str(path))
        names = (ctypes.c_char_p.in_dll(library, "function_names").value or b"").decode().split()
        addresses = [ctypes.cast(getattr(lexbor, name), ctypes.c_void_p) for name in names]
        roles = _roles()
        library.set_up(
            (ctypes.c_void_p * len(addresses))(*addresses),
            roles,
            ctypes.c_size_t(len(roles)),
            ctypes.c_uint(DOCUMENT_OPTIONS),
            (ctypes.c_size_t * len(_BOUNDS))(*_BOUNDS),
            os.urandom(16),
        )
        self._read = library.read_page
        self._read.argtypes = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_int
        self._text_is_utf8 = ctypes.c_int.in_dll(library, "text_is_utf8")
        self._left_out = (ctypes.c_size_t * 2).in_dll(library, "left_out")
        self._found = (_Slice * len(_COLUMNS)).in_dll(library, "found")

    def __call__(self, html: bytes, *, max_anchors: int, with_text: bool, with_paths: bool = False) -> PageElements:
        """Return the elements of a page, as `read_elements` does."""
        outcome = self._read(html, len(html), max_anchors, with_text, with_paths)
        if outcome:
            raise MemoryError(_OUTCOMES[outcome])
        if len(html) > LARGE_BYTES:  # the tree is freed, and what is allocated next does not reuse its place
            release_freed_memory()
        columns = dict(zip(_COLUMNS, map(_Slice.content, self._found), strict=True))
        text = columns["text"]
        if not self._text_is_utf8.value:
            text = text.decode(errors="replace").encode()
        return PageElements(
            hrefs=_strings(columns["hrefs"]),
            nofollow=columns["nofollow"],
            anchor_texts=_strings(columns["anchor texts"]),
            anchor_paths=_strings(columns["anchor paths"]),
            headings=[(int(text[0]), text[1:]) for text in _strings(columns["headings"])],
            title=columns["title"].decode(errors="replace"),
            text=text.strip(),
            named=list(_named(_strings(columns["named"]))),
            anchors_left_out=self._left_out[0],
            headings_left_out=self._left_out[1],
        )


class _Slice(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_size_t))

    def content(self) -> bytes:
        return ctypes.string_at(self.data, self.size) if self.size else b""


def _strings(column: bytes) -> list[str]:
    strings = column.decode(errors="replace").split("\0")
    strings.pop()  # the empty string after the last NUL
    return strings


def _named(strings: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield elements from a list of strings: name, attribute names and values in turn, and an empty string for each."""
    start = 0
    while start < len(strings):
        end = start + 1
        while strings[end]:
            end += 2
        yield strings[start], dict(zip(strings[start + 1 : end : 2], strings[start + 2 : end : 2], strict=True))
        start = end + 1


# --- the order of things in element_reader.c ----------------------------------------------------

_BOUNDS: Final = (
    MAX_ANCHOR_CHARACTERS + 1,
    MAX_HEADING_CHARACTERS + 1,
    MAX_TITLE_CHARACTERS + 1,
    MAX_HEADINGS,
    MAX_PATH_ELEMENTS,
    MAX_NAME_BYTES,
    MAX_BYTES_OF_PATHS,
)
"""Texts are kept up to one character more than their bound, which shows that they must be cut."""
_COLUMNS: Final = ("hrefs", "nofollow", "anchor texts", "anchor paths", "headings", "title", "text", "named")
_OUTCOMES: Final = ("", "Lexbor gave up", "no memory")
_ROLES: Final = (
    "", "text", "anchor", "title", "hidden", "frame", "named", "link", "picture", "section", "drawing", "template",
    "heading",
)  # fmt: skip


def _roles() -> bytes:
    """Return the role of each tag, by Lexbor's number of the tag; the level is added to the role of headings."""
    number_of = {name: number for number, name in enumerate(_ROLES)}
    [_, text] = selectolax.lexbor.LexborHTMLParser("text").css("body")[0].traverse(include_text=True)
    role_of = {text.tag_id: number_of["text"]}
    for role in ROLES:
        for level, tag in enumerate(tag_ids(role), 1):
            role_of[tag] = number_of[role] + (level if role == "heading" else 0)
    return bytes(role_of.get(tag, 0) for tag in range(max(role_of) + 1))
