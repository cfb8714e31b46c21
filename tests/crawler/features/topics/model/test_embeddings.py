"""Vectors of words, as others store them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hinterland.crawler.features.topics.model.array_file import DamagedFile
from hinterland.crawler.features.topics.model.embeddings import embeddings, tensor, vocabulary
from hinterland.crawler.features.topics.model.page_words import bucket_of


def safetensors(matrix: np.ndarray, dtype: str = "F32") -> bytes:
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "small": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]},
            "embeddings": {"dtype": dtype, "shape": list(matrix.shape), "data_offsets": [4, 4 + matrix.nbytes]},
        }
    ).encode()
    return len(header).to_bytes(8, "little") + header + b"\0\0\0\0" + matrix.tobytes()


DEEP = (100_000).to_bytes(8, "little") + b"[" * 100_000


def test_the_largest_matrix_of_a_file_is_read() -> None:
    matrix = np.arange(6, dtype="<f4").reshape(3, 2)
    assert np.array_equal(tensor(safetensors(matrix)), matrix)


@pytest.mark.parametrize("data", [b"", b"\xff" * 8, b"\x02\0\0\0\0\0\0\0{}", safetensors(np.ones((2, 2)), "Q4"), DEEP])
def test_what_is_no_file_of_matrices_is_refused(data: bytes) -> None:
    with pytest.raises(DamagedFile, match="safetensors"):
        tensor(data)


@pytest.mark.parametrize(
    "text",
    [
        *("tree\nsea\n", '["tree", "sea"]', '{"sea": 1, "tree": 0}'),
        '{"model": {"vocab": [["tree", -1.0], ["sea", -2.0]]}}',
    ],
)
def test_words_are_read_in_the_order_of_their_rows(text: str) -> None:
    assert vocabulary(text) == ["tree", "sea"]


def test_a_word_list_may_begin_with_the_mark_of_a_tokenizer() -> None:
    """As that of every BERT model does."""
    assert vocabulary("[PAD]\n[unused0]\ntree\n") == ["[PAD]", "[unused0]", "tree"]


@pytest.mark.parametrize(
    "text",
    [
        *("{", "[", "[" * 100_000, '{"sea": 5}', '{"sea": 0, "tree": "1"}', '{"sea": [], "tree": 0}'),
        *('{"sea": 0, "tree": 0}', '{"model": {}}'),
    ],
)
def test_what_is_no_vocabulary_is_refused(text: str) -> None:
    with pytest.raises(DamagedFile):
        vocabulary(text)


def test_pieces_of_words_are_left_out_and_marks_of_tokenizers_taken_off() -> None:
    found = embeddings(["▁tree", "##ing", "sea", "[PAD]x y"], np.eye(4))
    assert found.buckets.tolist() == sorted([bucket_of(b"tree"), bucket_of(b"sea")])


@pytest.mark.parametrize(
    "words, vectors, message",
    [
        (["tree"], np.ones((2, 2)), "shape"),
        (["##ing"], np.ones((1, 2)), "no word"),
        (["tree"], np.array([[np.nan, 1.0]]), "not finite"),
    ],
)
def test_vectors_that_cannot_be_used_say_why(words: list[str], vectors: np.ndarray, message: str) -> None:
    with pytest.raises(DamagedFile, match=message):
        embeddings(words, vectors)
