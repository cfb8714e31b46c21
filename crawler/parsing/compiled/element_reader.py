"""The C version of `page_elements.read_elements`: it walks the same tree in the same way, in a quarter of the time.

The C code calls the public functions of the copy of Lexbor inside the selectolax package. If there is a compiler,
`reader_building` compiles the C code during set-up and checks it before anything uses it.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import selectolax.lexbor

from hinterland.crawler.parsing.blocks.main_blocks import BUCKET_WIDTH, CHANCES, main_content_model
from hinterland.crawler.parsing.blocks.marks import KIND_OF, SHAPE_OF, TAGS, Shape, word_automaton
from hinterland.crawler.parsing.compiled.freed_memory import LARGE_BYTES, release_freed_memory
from hinterland.crawler.parsing.compiled.tree_layout import laid_out
from hinterland.crawler.parsing.html.headings import MAX_STEPS_TO_ANCHOR, Heading
from hinterland.crawler.parsing.html.page_bounds import (
    MAX_ANCHOR_CHARACTERS,
    MAX_BLOCKS,
    MAX_BYTES_OF_PATHS,
    MAX_CONTAINERS,
    MAX_HEADING_CHARACTERS,
    MAX_HEADINGS,
    MAX_NAME_BYTES,
    MAX_PATH_ELEMENTS,
    MAX_TITLE_CHARACTERS,
)
from hinterland.crawler.parsing.html.page_elements import DOCUMENT_OPTIONS, ROLES, PageElements, tag_ids
from hinterland.crawler.parsing.html.page_parts import MAX_PARTS, NO_PARTS, REFERRING, PageParts, tag_number

LIBRARY_LOCK: Final = threading.Lock()
"""Hold this while functions of the library run, and until their results are copied."""


class CompiledReader:
    """A compiled reader, called like `read_elements`. Not thread-safe, since the library has global state.

    It raises MemoryError for a page that needs more memory than is available.
    """

    def __init__(self, path: Path) -> None:
        """Load the library at `path`.

        Raises OSError if that fails, AttributeError if Lexbor lacks the functions it needs.
        """
        library = loaded(path)
        self._read = library.read_page
        self._read.argtypes = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, *[ctypes.c_int] * 4
        self._left_out = (ctypes.c_size_t * 3).in_dll(library, "left_out")
        self._found = (ctypes.c_size_t * (2 * len(_COLUMNS))).in_dll(library, "found")  # addresses and sizes in turn

    def __call__(
        self,
        html: bytes,
        *,
        max_anchors: int,
        with_text: bool,
        with_paths: bool = False,
        with_parts: bool = False,
    ) -> PageElements:
        """Return the elements of a page, as `read_elements` does."""
        return self._elements(html, max_anchors, with_text=with_text, with_paths=with_paths, with_parts=with_parts)

    def block_numbers(self, html: bytes) -> tuple[bytes, bytes]:
        """Return the visible text and the numbers of its blocks (int32, see block_numbers), for training and tests."""
        text = self._elements(html, 0, with_text=True, with_numbers=True).text
        return text, self._columns()["numbers"]

    def _elements(
        self,
        html: bytes,
        max_anchors: int,
        *,
        with_text: bool,
        with_paths: bool = False,
        with_parts: bool = False,
        with_numbers: bool = False,
    ) -> PageElements:
        with LIBRARY_LOCK:
            outcome = self._read(html, len(html), max_anchors, with_text, with_paths, with_parts, with_numbers)
            if outcome:
                raise MemoryError(OUTCOMES[outcome])
            if len(html) > LARGE_BYTES:  # the tree is freed, and what is allocated next does not reuse its place
                release_freed_memory()
            columns = self._columns()
            left_out = list(self._left_out)
        return PageElements(
            hrefs=_strings(columns["hrefs"]),
            nofollow=columns["nofollow"],
            anchor_texts=_strings(columns["anchor texts"]),
            anchor_paths=_strings(columns["anchor paths"]),
            headings=[
                Heading(int(text[0]), text[1:], anchor)
                for text, anchor in zip(
                    _strings(columns["headings"]), _strings(columns["heading anchors"]), strict=True
                )
            ],
            title=columns["title"].decode(errors="replace"),
            text=columns["text"],
            main=columns["main"],
            named=list(_named(_strings(columns["named"]))),
            anchors_left_out=left_out[0],
            headings_left_out=left_out[1],
            parts=_parts(columns, left_out[2]) if with_parts else NO_PARTS,
        )

    def _columns(self) -> dict[str, bytes]:
        """Return copies of the columns that were found; taking them as one array saves making an object for each."""
        found = list(self._found)
        places = zip(_COLUMNS, found[::2], found[1::2], strict=True)
        return {name: ctypes.string_at(data, size) if size else b"" for name, data, size in places}


def _parts(columns: Mapping[str, bytes], left_out: int) -> PageParts:
    return PageParts(
        ids=_strings(columns["ids"]),
        fragment_hrefs=_strings(columns["fragment hrefs"]),
        referring=list(_named(_strings(columns["referring"]))),
        styles=_strings(columns["styles"]),
        data=_strings(columns["data"]),
        left_out=left_out,
    )


def loaded(path: Path) -> ctypes.CDLL:
    """Return the library at `path`, set up. Its functions share memory: hold LIBRARY_LOCK around each call.

    Raises OSError if it cannot be loaded, AttributeError if Lexbor lacks the functions it needs.
    """
    lexbor = ctypes.CDLL(selectolax.lexbor.__file__)
    library = ctypes.CDLL(str(path))
    names = (ctypes.c_char_p.in_dll(library, "function_names").value or b"").decode().split()
    addresses = [ctypes.cast(getattr(lexbor, name), ctypes.c_void_p) for name in names]
    roles, parts = _roles(), _parts_by_tag()
    size = max(len(roles), len(parts))
    with LIBRARY_LOCK:
        library.set_up(
            (ctypes.c_void_p * len(addresses))(*addresses),
            roles.ljust(size, b"\0"),
            parts.ljust(size, b"\0"),
            ctypes.c_size_t(size),
            ctypes.c_uint(DOCUMENT_OPTIONS),
            (ctypes.c_size_t * len(_BOUNDS))(*_BOUNDS),
            os.urandom(16),
        )
        _set_up_blocks(library)
    return library


class Slice(ctypes.Structure):
    """Bytes in memory of the library."""

    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_size_t))

    def content(self) -> bytes:
        """Return a copy of the bytes."""
        return ctypes.string_at(self.data, self.size) if self.size else b""


def _strings(column: bytes) -> list[str]:
    strings = column.decode(errors="replace").split("\0")
    strings.pop()  # the empty string after the last NUL
    return strings


def _named(strings: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (name, attributes) of elements from a flat list of strings.

    For each element the list has its name, then the names and values of its attributes in turn, then "".
    """
    start = 0
    while start < len(strings):
        end = start + 1
        while strings[end]:
            end += 2
        yield strings[start], dict(zip(strings[start + 1 : end : 2], strings[start + 2 : end : 2], strict=True))
        start = end + 1


def _set_up_blocks(library: ctypes.CDLL) -> None:
    """Give the library the tables of blocks and the model of main content."""
    shapes, kinds, marks = _tables_by_tag()
    steps, words, nodes, roots, tree_steps, chances = _kept_arrays()
    limits = (ctypes.c_size_t * 2)(MAX_BLOCKS, MAX_CONTAINERS)
    library.set_up_blocks(
        *(shapes, kinds, marks, ctypes.c_size_t(len(shapes)), steps, words),
        *(nodes, roots, tree_steps, ctypes.c_size_t(len(tree_steps)), ctypes.c_int32(main_content_model().first)),
        *(ctypes.c_int32(BUCKET_WIDTH), chances, limits),
    )


@cache
def _tables_by_tag() -> tuple[bytes, bytes, bytes]:
    """Return three tables, indexed by Lexbor's number of a tag: its shape, its kind and its mark.

    A mark is stored as its number + 1; 0 means that the tag has none.
    """
    factory = selectolax.lexbor.LexborHTMLParser("")
    shapes = {_number(factory, tag): shape for tag, shape in SHAPE_OF.items()}
    kinds = {_number(factory, tag): kind for tag, kind in KIND_OF.items()}
    marks = {_number(factory, tag): number + 1 for number, tags in enumerate(TAGS) for tag in tags.split()}
    known = {*shapes, *kinds, *marks}
    size = 1 + max(number for number in known if number < _UNKNOWN)
    return (
        bytes(shapes.get(tag, Shape.BLOCK) for tag in range(size)),
        bytes(kinds.get(tag, 0) for tag in range(size)),
        bytes(marks.get(tag, 0) for tag in range(size)),
    )


def _number(factory: selectolax.lexbor.LexborHTMLParser, tag: str) -> int:
    return factory.create_node(tag).tag_id


@cache
def _kept_arrays() -> tuple[ctypes.Array[Any], ...]:
    """Return arrays that the library uses while the program runs."""
    steps, words = word_automaton()
    trees = laid_out(main_content_model(), _NUMBERS)
    kinds: Sequence[Any] = (
        ctypes.c_uint16,
        ctypes.c_uint32,
        _TreeNode,
        ctypes.c_uint32,
        ctypes.c_uint32,
        ctypes.c_uint32,
    )
    values: Sequence[Sequence[Any]] = (steps, words, *trees, CHANCES)
    return tuple((kind * len(each))(*each) for kind, each in zip(kinds, values, strict=True))


class _TreeNode(ctypes.Structure):
    _fields_ = (("most", ctypes.c_int32), ("number", ctypes.c_uint16), ("next", ctypes.c_uint16))


# --- the order of things in element_reader.c ----------------------------------------------------

_UNKNOWN: Final = 1024
"""Lexbor's numbers of unknown elements are addresses above this."""
_BOUNDS: Final = (
    MAX_ANCHOR_CHARACTERS + 1,
    MAX_HEADING_CHARACTERS + 1,
    MAX_TITLE_CHARACTERS + 1,
    MAX_HEADINGS,
    MAX_PATH_ELEMENTS,
    MAX_NAME_BYTES,
    MAX_BYTES_OF_PATHS,
    MAX_STEPS_TO_ANCHOR,
    MAX_PARTS,
)
"""Texts are kept up to one character beyond their bound, which shows that they must be cut."""
_COLUMNS: Final = (
    "hrefs",
    "nofollow",
    "anchor texts",
    "anchor paths",
    "headings",
    "heading anchors",
    "title",
    "text",
    "named",
    "main",
    "numbers",
    "ids",
    "fragment hrefs",
    "referring",
    "styles",
    "data",
)
_NUMBERS: Final = 131
"""How many numbers describe a block; the place after them holds a number that is less than all thresholds."""
OUTCOMES: Final = ("", "Lexbor gave up", "no memory")
_ROLES: Final = (
    "", "text", "anchor", "title", "hidden", "frame", "named", "link", "picture", "section", "drawing", "template",
    "heading",
)  # fmt: skip

_PARTS: Final = ((), tuple(tag for tag in REFERRING if tag != "script"), ("script",), ("style",), ("a", "area"))
"""The elements of each part, by its number."""


@cache
def _parts_by_tag() -> bytes:
    """Return the index in _PARTS of the part to which each tag belongs, by Lexbor's number of the tag."""
    part_of = {tag_number(tag): part for part, tags in enumerate(_PARTS) for tag in tags}
    return bytes(part_of.get(tag, 0) for tag in range(max(part_of) + 1))


@cache
def _roles() -> bytes:
    """Return the role of each tag, by Lexbor's number of the tag; the role of a heading has the level added to it."""
    number_of = {name: number for number, name in enumerate(_ROLES)}
    [_, text] = selectolax.lexbor.LexborHTMLParser("text").css("body")[0].traverse(include_text=True)
    role_of = {text.tag_id: number_of["text"]}
    for role in ROLES:
        for level, tag in enumerate(tag_ids(role), 1):
            role_of[tag] = number_of[role] + (level if role == "heading" else 0)
    return bytes(role_of.get(tag, 0) for tag in range(max(role_of) + 1))
