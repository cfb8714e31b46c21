"""Reads static word vectors from a folder with a vocabulary and a matrix."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.npz_files import is_npz
from hinterland.crawler.features.topics.model.array_file import DamagedFile
from hinterland.crawler.features.topics.model.embeddings import MOST_BYTES, Embeddings, embeddings, tensor, vocabulary
from hinterland.storage.values.zip_errors import ZIP_ERRORS

VOCABULARIES: Final = ("vocab.txt", "vocab.json", "tokenizer.json")
MATRICES: Final = ("model.safetensors", "embeddings.safetensors", "vectors.npz", "vectors.npy")
_NPY_BEGINS: Final = b"\x93NUMPY"


class BadEmbeddings(ValueError):
    """Raised if a folder has no usable word vectors. The message says why."""


def read_embeddings(folder: Path) -> Embeddings:
    """Return the word vectors in a folder, from one of VOCABULARIES and one of MATRICES. Raises BadEmbeddings."""
    words, vectors = _first(folder, VOCABULARIES), _first(folder, MATRICES)
    try:
        return embeddings(vocabulary(_bytes(words).decode("utf-8", "replace")), _matrix(vectors))
    except DamagedFile as error:
        raise BadEmbeddings(f"the vectors in {folder} cannot be used: {error}") from error


def _first(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise BadEmbeddings(
        f"{folder} has no file {' or '.join(names)}; put your word vectors there, because nothing is downloaded"
    )


def _matrix(path: Path) -> NDArray[Any]:
    data = _bytes(path)
    if path.suffix == ".safetensors":
        return tensor(data)
    file = io.BytesIO(data)
    if not (is_npz(file) or data.startswith(_NPY_BEGINS)):
        raise DamagedFile(f"{path.name} has no readable matrix: it is neither an .npy nor an .npz file")
    try:
        loaded = np.load(file, allow_pickle=False)
        found = loaded if isinstance(loaded, np.ndarray) else loaded[loaded.files[0]]
    except (ValueError, OSError, IndexError, *ZIP_ERRORS) as error:
        raise DamagedFile(f"{path.name} has no readable matrix: {error}") from error
    if not np.issubdtype(found.dtype, np.floating):
        raise DamagedFile(f"{path.name} has numbers of the type {found.dtype}, not floats")
    return np.asarray(found)


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadEmbeddings(f"{path} has {path.stat().st_size:,} bytes; at most {MOST_BYTES:,} are read")
        return path.read_bytes()
    except OSError as error:
        raise BadEmbeddings(f"{path} cannot be read: {error.strerror}") from error
