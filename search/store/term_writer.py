"""Writes documents to a tantivy index."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import tantivy

from hinterland.search.store.fields import IndexFields
from hinterland.search.store.indexed_text import IndexedText, as_document

_WRITER_BYTES: Final = 256 << 20
_MOST_THREADS: Final = 8
_WRITE_FAILURES: Final = ("IO error", "IoError", "(os error ", "index writer was killed")
"""Parts of tantivy's messages when a file cannot be written; the exception is always a ValueError."""


class TermWriter:
    """Writes to an index. All methods raise OSError if the index cannot be written.

    tantivy's own writer takes memory and threads, so it is opened only when it is first needed.
    """

    def __init__(self, index: tantivy.Index, fields: IndexFields) -> None:
        """Start with an open index."""
        self._index = index
        self._fields = fields
        self._writer: Any = None

    def add(self, texts: Iterable[IndexedText]) -> None:
        """Add documents."""
        with write_failures_as_os_error():
            writer = self._opened()
            for text in texts:
                writer.add_document(as_document(text, self._fields))

    def remove(self, query: tantivy.Query) -> None:
        """Remove the documents that match a query."""
        with write_failures_as_os_error():
            self._opened().delete_documents_by_query(query)

    def commit(self) -> bool:
        """Make everything written so far durable; return whether anything was written."""
        if self._writer is None:
            return False
        with write_failures_as_os_error():
            self._writer.commit()
        return True

    def close(self) -> bool:
        """Wait until the segments are merged; return whether anything was written."""
        if self._writer is None:
            return False
        with write_failures_as_os_error():
            self._writer.wait_merging_threads()
        self._writer = None
        return True

    def _opened(self) -> Any:
        if self._writer is None:
            self._writer = self._index.writer(_WRITER_BYTES, min(os.cpu_count() or 1, _MOST_THREADS))
        return self._writer


@contextmanager
def write_failures_as_os_error() -> Iterator[None]:
    """Raise OSError inside the with block where tantivy cannot write a file."""
    try:
        yield
    except ValueError as error:
        if any(words in str(error) for words in _WRITE_FAILURES):
            raise OSError(str(error)) from error
        raise
