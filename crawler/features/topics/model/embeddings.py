"""Static word vectors that were trained elsewhere, on other texts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.topics.model.array_file import DamagedFile
from hinterland.crawler.features.topics.model.page_words import bucket_of, words_of

MOST_BYTES: Final = 2_000_000_000
_FLOATS: Final = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}
_SIZE_BYTES: Final = 8
_MOST_HEADER: Final = 10_000_000
_MARKS: Final = "▁Ġ#"
"""Characters that tokenizers put before a word or before a piece of a word."""
_JSON: Final = re.compile(r"\s*(\{|\[\s*(\"|\[|\]|$))")
"""The beginning of a JSON object or of a JSON list of words or pairs; a word such as [PAD] does not match."""


@dataclass(frozen=True, slots=True, eq=False)
class Embeddings:
    """Word vectors by bucket: the mean of the vectors of the words in a bucket.

    `buckets` are ascending; `vectors` has shape (len(buckets), d).
    """

    buckets: NDArray[np.int64]
    vectors: NDArray[np.float64]


def embeddings(words: Sequence[str], vectors: NDArray[Any]) -> Embeddings:
    """Return embeddings from words and their vectors, one row each. Raises DamagedFile.

    Pieces of words (##ing) are left out, since words of pages are not cut into pieces.
    """
    if vectors.ndim != 2 or len(vectors) != len(words):
        raise DamagedFile(f"{len(words):,} words need one vector each, but the vectors have the shape {vectors.shape}")
    kept, buckets = [], []
    for place, word in enumerate(words):
        found = [] if word.startswith("##") else words_of(word.lstrip(_MARKS), 100)
        if len(found) == 1 and (bucket := bucket_of(found[0])) >= 0:
            kept.append(place)
            buckets.append(bucket)
    if not kept:
        raise DamagedFile("the vocabulary has no word that a page could have")
    distinct, places, sizes = np.unique(buckets, return_inverse=True, return_counts=True)
    sums = np.zeros((len(distinct), vectors.shape[1]))
    np.add.at(sums, places, np.asarray(vectors[kept], np.float64))
    if not np.isfinite(sums).all():
        raise DamagedFile("the vectors have numbers that are not finite")
    return Embeddings(distinct.astype(np.int64), sums / sizes[:, None])


def vocabulary(text: str) -> list[str]:
    """Return the word of each row of the matrix. Raises DamagedFile.

    `text` has one word per line, or is a JSON list of words, a JSON object word -> row, or the tokenizer.json of a
    model2vec folder.
    """
    if not _JSON.match(text):
        return text.splitlines()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"the vocabulary is not JSON: {error}") from error
    if isinstance(content, dict) and isinstance(content.get("model"), dict):
        content = content["model"].get("vocab")
    if isinstance(content, list):
        return [str(each[0] if isinstance(each, list) and each else each) for each in content]
    if isinstance(content, Mapping) and all(isinstance(row, int) for row in content.values()):
        words = sorted(content, key=lambda word: int(content[word]))
        if [content[word] for word in words] == list(range(len(words))):
            return words
    raise DamagedFile("the vocabulary is neither a list of words nor an object that numbers them from 0")


def tensor(data: bytes) -> NDArray[Any]:
    """Return the largest matrix in a safetensors file. Raises DamagedFile."""
    try:
        size = int.from_bytes(data[:_SIZE_BYTES], "little")
        if not 0 < size <= min(_MOST_HEADER, len(data)):
            raise DamagedFile("it is not a safetensors file: its header has an impossible size")
        header = json.loads(data[_SIZE_BYTES : _SIZE_BYTES + size])
        found = [each for name, each in header.items() if name != "__metadata__" and len(each["shape"]) == 2]
        chosen = max(found, key=lambda each: int(each["shape"][0]) * int(each["shape"][1]))
        begin, end = (int(each) + _SIZE_BYTES + size for each in chosen["data_offsets"])
        return np.frombuffer(data[begin:end], _FLOATS[chosen["dtype"]]).reshape(chosen["shape"])
    except DamagedFile:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedFile(f"it is not a safetensors file with a matrix of floats: {error!r}") from error
