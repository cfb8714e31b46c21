"""The C version of `text_blocks.text_places`."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Final

from selectolax.lexbor import LexborNode

from hinterland.crawler.parsing.blocks.text_blocks import PlacesReader, TextPlaces, text_places
from hinterland.crawler.parsing.compiled.element_reader import LIBRARY_LOCK, OUTCOMES, Slice, loaded
from hinterland.crawler.parsing.compiled.reader_building import ReaderUnusable, compiled_reader

_COLUMNS: Final = (("Q" if ctypes.sizeof(ctypes.c_void_p) == 8 else "L"), "I", "I", "B")
"""The items of each column, in the order of element_reader.c: nodes, their starts, starts and kinds of blocks."""


class CompiledPlaces:
    """`text_places` in C, for the body of a page and the tags that a page hides. Thread-safe.

    It raises MemoryError for a page that needs more memory than is available.
    """

    def __init__(self, path: Path) -> None:
        """Load the library at `path`. Raises OSError and AttributeError, as CompiledReader does."""
        library = loaded(path)
        self._find = library.find_places
        self._find.argtypes = ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)
        self._found = (Slice * len(_COLUMNS)).in_dll(library, "found_places")

    def __call__(self, body: LexborNode, hidden: Collection[str]) -> TextPlaces:
        """Return the positions of the text nodes. `hidden` must be HIDDEN_TAGS of page_elements, as in the library."""
        size = ctypes.c_size_t()
        with LIBRARY_LOCK:
            outcome = self._find(body.mem_id, ctypes.byref(size))
            if outcome:
                raise MemoryError(OUTCOMES[outcome])
            found = [array(items, column.content()) for items, column in zip(_COLUMNS, self._found, strict=True)]
        nodes, starts, block_starts, kinds = found
        return TextPlaces(nodes, starts, size.value, block_starts, kinds)


@cache
def places_reader() -> PlacesReader:
    """Return the compiled function if it was built, otherwise the one in Python."""
    try:
        return CompiledPlaces(compiled_reader())
    except (ReaderUnusable, OSError, AttributeError):
        return text_places
