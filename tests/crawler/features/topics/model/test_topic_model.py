"""The classifier as arrays: what it says, why, and how it is read from bytes nobody vouches for."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from hinterland.crawler.features.topics.model.array_file import DamagedFile, to_npz
from hinterland.crawler.features.topics.model.page_words import BUCKETS
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.crawler.features.topics.model.training import train
from tests.support.topics import GARDEN, SEA, background, examples

ABOUT = (" ".join(GARDEN[:2]), [GARDEN[2]], " ".join(GARDEN * 3))
OTHER = (" ".join(SEA[:2]), [SEA[2]], " ".join(SEA * 3))


@cache
def model() -> TopicModel:
    return train(examples(), background()).model


def test_pages_about_the_topic_are_likely_and_others_are_not() -> None:
    assert model().relevance(*ABOUT) > 0.9
    assert model().relevance(*OTHER) < 0.1


def test_a_page_without_words_is_as_likely_as_the_model_without_words_says() -> None:
    assert model().relevance("", [], "") == pytest.approx(1 / (1 + np.exp(-model().intercept)))


def test_reasons_name_the_words_for_and_against_the_strongest_first() -> None:
    speaking_for, against = model().reasons("compost", ["pruning"], "compost pruning rudder rudder keel the")
    assert {"compost", "pruning"} <= {reason.words.removesuffix(" (title)") for reason in speaking_for}
    assert {"rudder", "keel"} <= {reason.words for reason in against}
    assert [reason.log_odds for reason in speaking_for] == sorted(
        (reason.log_odds for reason in speaking_for), reverse=True
    )


def test_reasons_add_up_to_the_log_odds() -> None:
    page = ("compost rudder", ["tide"], "compost rudder rudder keel soil people")
    speaking_for, against = model().reasons(*page, most=1000)
    total = model().intercept + sum(reason.log_odds for reason in (*speaking_for, *against))
    chance = model().relevance(*page)
    assert total == pytest.approx(np.log(chance / (1 - chance)), abs=1e-4)


def test_a_model_read_back_judges_as_the_one_that_was_written() -> None:
    data = model().to_bytes()
    assert len(data) <= 1_000_000
    assert TopicModel.from_bytes(data).relevance(*ABOUT) == model().relevance(*ABOUT)
    assert TopicModel.from_bytes(data).to_bytes() == data


def changed(**arrays: np.ndarray) -> bytes:
    return to_npz(model().arrays() | arrays)


def without(name: str) -> bytes:
    return to_npz({key: array for key, array in model().arrays().items() if key != name})


def with_member(content: bytes) -> bytes:
    """A model whose weights are these bytes."""
    buffer = io.BytesIO(without("model_weights"))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("model_weights.npy", content)
    return buffer.getvalue()


def claiming_more() -> bytes:
    """A header that says there are 2**40 numbers, and four bytes."""
    member = io.BytesIO()
    np.lib.format.write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": (2**40,)})
    return with_member(member.getvalue() + b"1234")


def pickled() -> bytes:
    member = io.BytesIO()
    np.lib.format.write_array(member, np.array([{}], object), allow_pickle=True)
    return with_member(member.getvalue())


DAMAGED: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "not an npz file"),
    "text": (lambda: b"<html>", "not an npz file"),
    "a pickle": (lambda: pickle.dumps({}), "not an npz file"),
    "half of it": (lambda: model().to_bytes()[:-100], "not an npz file"),
    "an array is missing": (lambda: without("model_weights"), "lacks the array model_weights"),
    "a pickled array": (pickled, "object"),
    "a claim of more": (claiming_more, "elements"),
    "no header": (lambda: with_member(b"junk"), "header"),
    "a bomb": (lambda: with_member(bytes(50_000_000)), "50,000,000 bytes"),
    "another size": (lambda: changed(model_weights=np.zeros(7, "<f4")), "elements"),
    "another type": (lambda: changed(model_weights=np.zeros(BUCKETS // 2, "<f8")), "float64"),
    "two dimensions": (lambda: changed(model_weights=np.zeros((2, BUCKETS // 2), "<f4")), "2 dimensions"),
    "not finite": (lambda: changed(model_weights=np.full(BUCKETS, np.nan, "<f4")), "not finite"),
    "a prior of 7": (lambda: changed(model_constants=np.array([0.0, 7.0, 1.0, 1.0])), "out of their bounds"),
    "another version": (lambda: changed(model_constants=np.array([0.0, 0.1, 1.0, 9.0])), "version 9"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_or_hostile_model_is_refused_in_words(kind: str) -> None:
    make, words = DAMAGED[kind]
    with pytest.raises(DamagedFile, match=words):
        TopicModel.from_bytes(make())


def test_arrays_that_nobody_asks_for_are_ignored() -> None:
    data = to_npz(model().arrays() | {"more": np.array([1])})
    assert TopicModel.from_bytes(data).prior == model().prior
