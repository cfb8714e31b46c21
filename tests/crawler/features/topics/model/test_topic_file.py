"""A topic in a file: what is read is what was written, and damage is reported."""

from __future__ import annotations

import io

import numpy as np
import pytest

from hinterland.crawler.features.topics.model.array_file import DamagedFile, to_npz
from hinterland.crawler.features.topics.model.describing import describe
from hinterland.crawler.features.topics.model.topic_file import Topic, from_bytes, is_name, to_bytes
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from tests.support.topics import GARDEN, background, examples

NAMELESS = b'{"name": null, "words": "", "hosts": [], "addresses": [], "given": []}'
WITHOUT_PAGES: dict[str, np.ndarray | None] = {
    **dict.fromkeys(("page_words", "page_text_words", "word_buckets"), np.empty(0, "<i4")),
    "word_counts": np.empty(0, "<u2"),
}


@pytest.fixture(scope="module")
def topic() -> Topic:
    return describe("gardening", "compost mulch", examples(4, 4), background(60)).topic


@pytest.mark.slow
def test_what_is_read_is_what_was_written(topic: Topic) -> None:
    read = from_bytes(to_bytes(topic))
    assert (read.name, read.words) == ("gardening", "compost mulch")
    for before, after in zip(topic.examples, read.examples, strict=True):
        assert (before.is_about, before.host, before.address, before.is_given) == (
            *(after.is_about, after.host, after.address),
            after.is_given,
        )
        assert np.array_equal(before.page.buckets, after.page.buckets)
        assert np.array_equal(before.page.counts, after.page.counts)
    assert list(read.background.hosts) == list(topic.background.hosts)
    page = topic.background.pages[0]
    assert read.model.log_odds(page) == pytest.approx(topic.model.log_odds(page), abs=1e-6)


@pytest.mark.slow
def test_the_file_of_a_topic_is_one_of_its_model_too(topic: Topic) -> None:
    model = TopicModel.from_bytes(to_bytes(topic))
    assert np.array_equal(model.weights, topic.model.weights)


def test_the_same_topic_makes_the_same_bytes(topic: Topic) -> None:
    assert to_bytes(topic) == to_bytes(from_bytes(to_bytes(topic)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed, message",
    [
        ({"page_labels": np.array([1, 0], "<i1")}, "differ in number"),
        ({"page_words": np.array([1], "<i4")}, "do not add up"),
        ({"word_counts": np.zeros(1, "<u2")}, "do not add up"),
        ({"meta": np.frombuffer(b"{}", "|u1")}, "lacks the examples"),
        ({"meta": np.frombuffer(b"[", "|u1")}, "not JSON"),
        ({"meta": np.frombuffer(b"[" * 100_000, "|u1")}, "not JSON"),
        ({"meta": np.frombuffer(NAMELESS, "|u1")}, "lacks a name"),
        ({"meta": np.frombuffer(NAMELESS.replace(b"null", b'"../x"'), "|u1")}, "lacks a name"),
        ({"meta": np.frombuffer(NAMELESS.replace(b"null", b'"x"'), "|u1")}, "differ in number"),
        (WITHOUT_PAGES, "pages and their labels differ in number"),
        ({"word_buckets": None}, "impossible words"),
        ({"page_text_words": None}, "impossible number of words"),
    ],
)
def test_a_file_that_was_changed_is_refused(topic: Topic, changed: dict[str, np.ndarray | None], message: str) -> None:
    arrays = all_arrays(to_bytes(topic))
    for name, value in changed.items():
        arrays[name] = arrays[name] + 200_000 if value is None else value
    with pytest.raises(DamagedFile, match=message):
        from_bytes(to_npz(arrays))


@pytest.mark.parametrize("length", [0, 10, 1000, -30])
def test_a_file_that_was_cut_is_refused(topic: Topic, length: int) -> None:
    with pytest.raises(DamagedFile):
        from_bytes(to_bytes(topic)[:length])


def test_names_are_those_that_files_can_have() -> None:
    assert all(map(is_name, ("gardening", "Gärten", "a.b-c_1")))
    assert not any(map(is_name, ("", "a/b", "..", "-x", "a b", "x" * 101)))


def test_a_model_of_words_fills_a_topic_without_pages() -> None:
    topic = from_bytes(to_bytes(describe("g", "compost mulch", [], background(0)).topic))
    assert (topic.examples, topic.background.pages) == ([], [])
    assert topic.model.relevance("Compost", [], " ".join(GARDEN)) > topic.model.relevance("", [], "tide and anchor")


def all_arrays(data: bytes) -> dict[str, np.ndarray]:

    with np.load(io.BytesIO(data)) as archive:
        return {name: archive[name] for name in archive.files}
