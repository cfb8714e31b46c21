"""The folder of an index: its files and its manifest."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import chunks
from hinterland.analysis.npz_files import is_npz
from hinterland.search.index.array_files import growing_arrays
from hinterland.search.index_failures import NoIndex
from hinterland.search.ranking import IndexedRanks
from hinterland.search.store.fields import FORMAT
from hinterland.search.store.values.arrays import FloatArray, LongArray
from hinterland.search.suggestions import Suggestions
from hinterland.search.vocabulary import Vocabulary
from hinterland.search.word_forms.compounds import Compounds, arrange_compounds, compounds_by_language
from hinterland.storage.store_mark import StoreMark

_LOCK: Final = "build.lock"
_PARTS: Final = re.compile(
    r"build\.lock|index\.json(\.new)?|terms|documents\.db(-wal|-shm|-journal)?|(ranks|words|suggestions|compounds)(\.new)?\.npz"
)
"""Names of the files that a build writes into the folder, the lock first."""


_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class IndexManifest:
    """The description of an index, in the file index.json, which is read before the index is opened."""

    format: int
    store: str
    """The link store from which the index was built, as named then."""
    languages: tuple[str, ...]
    """Languages with fields of their own."""
    built_at: float
    """When the last build ended, in epoch seconds; 0 before the first build has ended."""
    documents: int
    estimator: str
    """The estimator of its PageRank; "" if it has none."""
    topic: str = ""
    """The topic by which its pages were judged; "" if they were not."""
    mark: StoreMark | None = None
    """Identifies the crawl and its progress at the time of the build; None if an earlier version wrote the manifest."""
    document_version: int = 0
    """The DOCUMENT_VERSION of the last build that ended; 0 if an earlier version wrote the manifest."""


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """The paths and files of an index."""

    path: Path

    @property
    def terms(self) -> Path:
        """The folder of the term index."""
        return self.path / "terms"

    @property
    def documents(self) -> Path:
        """The SQLite file of documents and digests."""
        return self.path / "documents.db"

    @property
    def ranks(self) -> Path:
        """The file of PageRank arrays."""
        return self.path / "ranks.npz"

    @property
    def words(self) -> Path:
        """The file of the vocabulary."""
        return self.path / "words.npz"

    @property
    def suggestions(self) -> Path:
        """The file of suggestions."""
        return self.path / "suggestions.npz"

    @property
    def compounds(self) -> Path:
        """The file in which compounds are found by their parts."""
        return self.path / "compounds.npz"

    @property
    def manifest(self) -> Path:
        """The file of the manifest."""
        return self.path / "index.json"

    def require_own(self) -> None:
        """Raise NoIndex unless it is safe to build an index in this folder.

        It is safe if the folder is empty, holds an index, or holds only the lock and index files of a build that was
        killed. Call this before anything is written.
        """
        if self._has_manifest:
            return
        try:
            str(self.path.resolve()).encode()
        except UnicodeEncodeError:
            raise NoIndex(
                f"an index needs a path in UTF-8, and {str(self.path)!r} is not; choose another folder"
            ) from None
        names = sorted(path.name for path in self.path.iterdir())
        foreign = names if _LOCK not in names else [name for name in names if not _PARTS.fullmatch(name)]
        if foreign:
            raise NoIndex(f"{self.path} is not an index and contains {foreign[0]}; choose another folder")

    @property
    def _has_manifest(self) -> bool:
        """Whether there is a manifest, of any version."""
        try:
            known = json.loads(self.manifest.read_text("utf-8"))
            return isinstance(known, dict) and {"format", "store", "languages"} <= known.keys()
        except (OSError, ValueError):
            return False

    def read_manifest(self, *, with_earlier: bool = False) -> IndexManifest:
        """Return the manifest.

        With `with_earlier`, the manifest of an index of an earlier format is returned, too; such an index can only be
        rebuilt. Raises NoIndex.
        """
        try:
            known = json.loads(self.manifest.read_text("utf-8"))
            if not (with_earlier and self.is_of_earlier_version):
                self._require_known(known["format"])
            mark = StoreMark(**known["mark"]) if known.get("mark") else None
            manifest = IndexManifest(**{**known, "languages": tuple(known["languages"]), "mark": mark})
        except FileNotFoundError:
            raise NoIndex(f"there is no index in {self.path}") from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise NoIndex(f"the index in {self.path} cannot be read ({error}); `index --rebuild` rebuilds it") from None
        return manifest

    @property
    def is_of_earlier_version(self) -> bool:
        """Whether the index has an earlier format; false if the manifest cannot be read."""
        try:
            return bool(json.loads(self.manifest.read_text("utf-8"))["format"] < FORMAT)
        except (OSError, ValueError, TypeError, KeyError):
            return False

    def _require_known(self, format_number: object) -> None:
        if self.is_of_earlier_version:
            raise NoIndex(f"the index in {self.path} was built by an earlier version; run `index` to rebuild it")
        if format_number != FORMAT:
            raise NoIndex(
                f"the index in {self.path} has format {format_number}, this version reads {FORMAT};"
                " `index --rebuild` rebuilds it"
            )

    def write_manifest(self, manifest: IndexManifest) -> None:
        """Replace the manifest atomically."""
        _replace(self.manifest, json.dumps(asdict(manifest), ensure_ascii=False, indent=2).encode())

    def write_ranks(self, pages: LongArray, ranks: dict[str, FloatArray]) -> None:
        """Write the PageRank of `pages`, which are ascending.

        `ranks` has "web" and "site", each of shape (n,) and parallel to `pages`.
        """
        with growing_arrays(self.ranks) as put:
            for name, array in {"pages": pages, **ranks}.items():
                for part in [slice(0), *chunks(len(array))]:  # so that empty arrays are written, too
                    put(name, array[part])

    def read_ranks(self) -> dict[str, IndexedRanks]:
        """Return the ranks by source, "web" and "site"; empty if the index has none."""
        return (
            _read(
                self.ranks,
                lambda arrays: {
                    name: IndexedRanks(arrays["pages"], ranks) for name, ranks in arrays.items() if name != "pages"
                },
            )
            or {}
        )

    def read_words(self) -> tuple[Vocabulary, int, int] | None:
        """Return the vocabulary, the number of documents at its last update, and how many documents were counted.

        The last number is larger if documents were rewritten, since every version of a document is counted; see
        `vocabulary_update`. Returns None if an earlier version built the index.
        """
        return _read(self.words, _words)

    def read_suggestions(self) -> Suggestions | None:
        """Return the suggestions, or None if an earlier version built the index."""
        return _read(self.suggestions, Suggestions)

    def write_compounds(self, compounds: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        """Write the compounds by language and by part; if there are no languages, delete the file."""
        if not compounds:
            self.compounds.unlink(missing_ok=True)
            return
        with growing_arrays(self.compounds) as put:
            for language, by_part in compounds.items():
                arrange_compounds(language, by_part, put)

    @property
    def has_compounds(self) -> bool:
        """Whether there is a readable file of compounds that is newer than the terms.

        The file is older if a build was killed after it wrote the terms.
        """
        try:
            newest = (self.terms / "meta.json").stat().st_mtime_ns
            return bool(self.read_compounds()) and self.compounds.stat().st_mtime_ns >= newest
        except (NoIndex, OSError):
            return False

    def read_compounds(self) -> dict[str, Compounds]:
        """Return the compounds by language; empty if an earlier version built the index, or if there are none."""
        return _read(self.compounds, compounds_by_language) or {}


def default_folder(store: Path) -> IndexFolder:
    """Return the index folder next to the store: FILE.index for FILE.db."""
    return IndexFolder(store.with_suffix(".index") if store.suffix == ".db" else store.with_name(store.name + ".index"))


def _read(path: Path, made_of: Callable[[dict[str, NDArray[Any]]], _Value]) -> _Value | None:
    """Return the value that `made_of` builds from the arrays in a file, or None if there is no file.

    Raises NoIndex.
    """
    try:
        with path.open("rb") as file:
            if not is_npz(file):
                raise NoIndex(f"{path} cannot be read (not an .npz file); run `index` to write it again")
            with np.load(file) as arrays:
                return made_of({name: arrays[name] for name in arrays.files})
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError, KeyError, IndexError, zipfile.BadZipFile) as error:
        raise NoIndex(f"{path} cannot be read ({error}); run `index` to write it again") from None


def _words(arrays: dict[str, NDArray[Any]]) -> tuple[Vocabulary, int, int]:
    documents, counted = arrays.pop("of").tolist()
    return Vocabulary(arrays), documents, counted


def _replace(path: Path, content: bytes) -> None:
    """Replace a file atomically, even if the machine stops meanwhile."""
    scratch = path.with_name(path.name + ".new")
    with scratch.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)
