"""Vectors of words in a folder, whole, damaged or of something else."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from hinterland.crawler.features.topics.files import embedding_files
from hinterland.crawler.features.topics.files.embedding_files import BadEmbeddings, read_embeddings
from tests.crawler.features.topics.model.test_embeddings import safetensors

MATRIX = np.eye(2, dtype="<f4")


def as_npz(matrix: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, matrix)
    return buffer.getvalue()


def as_npy(matrix: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, matrix)
    return buffer.getvalue()


def folder_with(folder: Path, name: str, data: bytes) -> Path:
    (folder / "vocab.txt").write_text("tree\nsea\n")
    (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize(
    "name, data",
    [("model.safetensors", safetensors(MATRIX)), ("vectors.npz", as_npz(MATRIX)), ("vectors.npy", as_npy(MATRIX))],
)
def test_a_matrix_is_read_in_each_of_its_formats(tmp_path: Path, name: str, data: bytes) -> None:
    found = read_embeddings(folder_with(tmp_path, name, data))
    assert sorted(found.vectors.tolist()) == [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    "name, data, problem",
    [
        ("model.safetensors", b"junk", "not a safetensors file"),
        ("vectors.npy", b"junk", "no readable matrix: it is neither an .npy nor an .npz"),
        ("vectors.npy", as_npy(MATRIX)[:-4], "no readable matrix"),
        ("vectors.npz", as_npz(MATRIX)[:-30], "no readable matrix"),
        ("vectors.npz", as_npz(MATRIX).replace(b"NUMPY", b"DUMMY"), "no readable matrix"),
        ("vectors.npy", as_npy(MATRIX.astype(int)), "numbers of the type int64, not floats"),
        ("vectors.npy", as_npy(np.array([{}])), "no readable matrix"),
    ],
)
def test_a_matrix_that_cannot_be_used_is_refused_with_the_reason(
    tmp_path: Path, name: str, data: bytes, problem: str
) -> None:
    with pytest.raises(BadEmbeddings, match=f"the vectors in .* cannot be used: .*{problem}"):
        read_embeddings(folder_with(tmp_path, name, data))


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_with(tmp_path, "vectors.npy", as_npy(MATRIX))
    monkeypatch.setattr(embedding_files, "MOST_BYTES", 100)
    with pytest.raises(BadEmbeddings, match="has 144 bytes; at most 100 are read"):
        read_embeddings(folder)
