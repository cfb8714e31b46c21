"""The folder of an index: what lies where, and what made it."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Callable
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
from hinterland.storage.store_mark import StoreMark

_READ: Final = range(1, FORMAT + 1)
"""An index of an earlier format can be searched; it is built anew."""
_LOCK: Final = "build.lock"
_PARTS: Final = re.compile(
    r"build\.lock|index\.json(\.new)?|terms|documents\.db(-wal|-shm|-journal)?|(ranks|words|suggestions)(\.new)?\.npz"
)
"""What a build writes into the folder, the lock first."""


_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class IndexManifest:
    """What is known of an index before it is opened; index.json."""

    format: int
    store: str
    """The link store it was made from, as it was named."""
    languages: tuple[str, ...]
    """Those with fields of their own."""
    built_at: float
    """When the last build ended, epoch seconds; 0 while the first has not."""
    documents: int
    estimator: str
    """Whose estimate of PageRank it has; "" if none."""
    topic: str = ""
    """The name of the topic that its pages were judged by; "" if they were not."""
    mark: StoreMark | None = None
    """Which crawl it was made of, and how far that had come; None in the manifest of an earlier version."""

    @property
    def knows_names(self) -> bool:
        """Whether names of code are found as they are spelt."""
        return self.format >= 2

    @property
    def knows_facets(self) -> bool:
        """Whether documents can be counted by site, type, date and topic."""
        return self.format >= 3

    @property
    def knows_folders(self) -> bool:
        """Whether documents can be counted by host and folder."""
        return self.format >= 4


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """Paths in the folder of an index."""

    path: Path

    @property
    def terms(self) -> Path:
        return self.path / "terms"

    @property
    def documents(self) -> Path:
        return self.path / "documents.db"

    @property
    def ranks(self) -> Path:
        return self.path / "ranks.npz"

    @property
    def words(self) -> Path:
        return self.path / "words.npz"

    @property
    def suggestions(self) -> Path:
        return self.path / "suggestions.npz"

    @property
    def manifest(self) -> Path:
        return self.path / "index.json"

    def require_own(self) -> None:
        """To be asked before anything is written. Raises NoIndex unless the folder is empty, an index, or what a build
        that was killed has left: the lock, and files of an index alone.
        """
        if self._has_manifest:
            return
        names = sorted(path.name for path in self.path.iterdir())
        foreign = names if _LOCK not in names else [name for name in names if not _PARTS.fullmatch(name)]
        if foreign:
            raise NoIndex(f"{self.path} is no index and holds {foreign[0]}, so none is made in it; name another folder")

    @property
    def _has_manifest(self) -> bool:
        """Of any version."""
        try:
            known = json.loads(self.manifest.read_text("utf-8"))
            return isinstance(known, dict) and {"format", "store", "languages"} <= known.keys()
        except (OSError, ValueError):
            return False

    def read_manifest(self) -> IndexManifest:
        """Raises NoIndex."""
        try:
            known = json.loads(self.manifest.read_text("utf-8"))
            self._require_known(known["format"])
            mark = StoreMark(**known["mark"]) if known.get("mark") else None
            manifest = IndexManifest(**{**known, "languages": tuple(known["languages"]), "mark": mark})
        except FileNotFoundError:
            raise NoIndex(f"there is no index in {self.path}") from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise NoIndex(
                f"the index in {self.path} cannot be read ({error}); `index --rebuild` makes it anew"
            ) from None
        return manifest

    @property
    def is_of_earlier_version(self) -> bool:
        """Whether its format is one that earlier versions wrote; what cannot be read is not."""
        try:
            return bool(json.loads(self.manifest.read_text("utf-8"))["format"] < FORMAT)
        except (OSError, ValueError, TypeError, KeyError):
            return False

    def _require_known(self, format_number: object) -> None:
        if format_number not in _READ:
            raise NoIndex(
                f"the index in {self.path} has format {format_number}, this version reads {FORMAT} and earlier ones;"
                " `index --rebuild` makes it anew"
            )

    def write_manifest(self, manifest: IndexManifest) -> None:
        _replace(self.manifest, json.dumps(asdict(manifest), ensure_ascii=False, indent=2).encode())

    def write_ranks(self, pages: LongArray, ranks: dict[str, FloatArray]) -> None:
        """pages: ascending. ranks: "web" and "site" -> PageRank, shape (n,), parallel to pages."""
        with growing_arrays(self.ranks) as put:
            for name, array in {"pages": pages, **ranks}.items():
                for part in [slice(0), *chunks(len(array))]:  # of none, too, there is to be an array
                    put(name, array[part])

    def read_ranks(self) -> dict[str, IndexedRanks]:
        """By whom the web is seen; empty if the index has none."""
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
        """With how many documents the index had then, and of how many the words were counted, those written again once
        more; None if an earlier version made the index.
        """
        return _read(self.words, _words)

    def read_suggestions(self) -> Suggestions | None:
        """None if an earlier version made the index."""
        return _read(self.suggestions, Suggestions)


def default_folder(store: Path) -> IndexFolder:
    """Beside the store: FILE.index for FILE.db."""
    return IndexFolder(store.with_suffix(".index") if store.suffix == ".db" else store.with_name(store.name + ".index"))


def _read(path: Path, made_of: Callable[[dict[str, NDArray[Any]]], _Value]) -> _Value | None:
    """What is made of the arrays in a file; None if there is none. Raises NoIndex."""
    try:
        with path.open("rb") as file:
            if not is_npz(file):
                raise NoIndex(f"{path} cannot be read (it is no .npz); `index` writes it again")
            with np.load(file) as arrays:
                return made_of({name: arrays[name] for name in arrays.files})
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError, KeyError, IndexError, zipfile.BadZipFile) as error:
        raise NoIndex(f"{path} cannot be read ({error}); `index` writes it again") from None


def _words(arrays: dict[str, NDArray[Any]]) -> tuple[Vocabulary, int, int]:
    documents, counted = arrays.pop("of").tolist()
    return Vocabulary(arrays), documents, counted


def _replace(path: Path, content: bytes) -> None:
    """All or nothing, also when the machine stops in between."""
    scratch = path.with_name(path.name + ".new")
    with scratch.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)
