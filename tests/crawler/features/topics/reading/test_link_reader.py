"""What links say of themselves."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from hinterland.crawler.features.topics.links import link_features, link_rows
from hinterland.crawler.features.topics.links.link_features import LinkFeatures
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.crawler.features.topics.model.training import train
from hinterland.crawler.features.topics.reading import link_reader
from hinterland.crawler.features.topics.reading.link_reader import LinkReader
from hinterland.crawler.features.topics.reading.page_reading import LIKENESSES, LINKS_A_PAGE
from hinterland.crawler.features.topics.reading.topic_reader import TopicReader
from tests.support.page_parsing import readable
from tests.support.topics import background, examples

URL, ANCHOR, SURROUNDINGS = range(len(LIKENESSES))


def gardening() -> TopicModel:
    return train(examples(), background()).model


def read(model: TopicModel | None, *links: tuple[str, str, str], text: str = "") -> LinkFeatures:
    urls, anchors, paths = zip(*links, strict=True)
    reading = LinkReader(model).read(0.5, urls, anchors, paths, text.encode())
    return LinkFeatures.unpacked(reading.sizes, reading.features, reading.likenesses)


def rows_of(links: LinkFeatures) -> list[set[int]]:
    return [set(part.tolist()) for part in np.split(links.features, links.ends[:-1])]


def test_links_that_share_words_share_features() -> None:
    first, second, third = rows_of(
        read(
            None,
            ("http://a.test/tomato/1", "growing", "body/ul"),
            ("http://b.test/tomato/2", "selling", "body/p"),
            ("http://c.example/rudder/3", "mending", "div"),
        )
    )
    assert first & second
    assert not first & third


def test_the_same_word_in_a_url_and_in_an_anchor_are_two_features() -> None:
    in_url, in_anchor = rows_of(read(None, ("http://a.test/tomato", "", ""), ("http://a.test/", "tomato", "")))
    host_and_path = in_url & in_anchor
    assert in_url - host_and_path
    assert in_anchor - host_and_path


def test_links_at_like_places_share_features_whatever_their_classes() -> None:
    menu, other_menu, running = rows_of(
        read(
            None,
            ("http://a/1", "", "body/nav.top/ul/li"),
            ("http://b/2", "", "body/nav.side/ul/li"),
            ("http://c/3", "", "p"),
        )
    )
    assert len(menu & other_menu) > len(menu & running)


@pytest.mark.slow
def test_words_of_the_topic_speak_for_a_link_wherever_they_stand() -> None:
    links = read(
        gardening(),
        ("http://a.test/compost/mulch", "more", ""),
        ("http://a.test/1", "compost and mulch", ""),
        ("http://a.test/2", "there", ""),
        ("http://a.test/rudder/keel", "mainsail", ""),
        text="more compost and mulch in the greenhouse: there are seedlings",
    )
    assert links.likenesses[0, URL] > 0
    assert links.likenesses[1, ANCHOR] > 0
    assert links.likenesses[2, SURROUNDINGS] > 0
    assert links.likenesses[3, URL] < 0
    assert links.likenesses[3, ANCHOR] < 0


def test_without_a_classifier_no_word_speaks_for_anything() -> None:
    assert not read(None, ("http://a.test/compost", "mulch", "")).likenesses.any()


def test_a_link_without_a_word_has_few_features_and_a_long_one_not_too_many() -> None:
    long = " ".join(f"word{n}" for n in range(500))
    empty, full = read(None, ("http://a/", "", ""), (f"http://a/{long}", long, "/".join("abcdefghij"))).sizes.tolist()
    assert empty <= 4
    assert full < 100


def test_a_link_that_was_read_often_enough_is_not_read_again() -> None:
    """Most links of a page are those of its menus, and of one page nobody keeps more."""
    reader = LinkReader(None)
    menu, new = "http://a.test/menu", "http://a.test/new"
    for page in range(LINKS_A_PAGE + 2):
        urls = [menu, new + str(page)]
        reading = reader.read(0.5, urls, ["menu", "new"], ["nav", "p"], b"menu new")
        links = LinkFeatures.unpacked(reading.sizes, reading.features, reading.likenesses)
        assert (links.sizes > 0).tolist() == [page < LINKS_A_PAGE, True]


def test_as_many_links_to_a_page_are_read_as_are_kept() -> None:
    assert (LINKS_A_PAGE, len(LIKENESSES)) == (link_rows.LINKS_A_PAGE, link_features.LIKENESSES)


@pytest.mark.slow
def test_a_page_is_read_with_all_its_links_in_their_order() -> None:
    page = readable(b"<title>compost</title><p><a href=/1>mulch</a><a href=/2>rudder</a><link rel=next href=/3>")
    reading = TopicReader(gardening().to_bytes(), reads_links=True).reading(page)
    links = LinkFeatures.unpacked(reading.sizes, reading.features, reading.likenesses)
    assert len(links) == len(page.page.link_urls) == 3
    assert links.likenesses[0, ANCHOR] > links.likenesses[1, ANCHOR]
    assert 0.0 < reading.relevance < 1.0


@pytest.mark.slow
def test_links_are_read_only_if_the_policy_wants_them() -> None:
    page = readable(b"<title>compost</title><a href=/1>mulch</a>")
    reading = TopicReader(gardening().to_bytes(), reads_links=False).reading(page)
    assert (reading.sizes, reading.features, reading.likenesses) == (b"", b"", b"")
    assert reading.relevance > 0.0


def test_what_was_read_is_read_the_same_after_all_that_was_remembered_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link_reader, "_MAX_REMEMBERED", 2)
    monkeypatch.setattr(link_reader, "_MAX_COUNTED", 2)
    reader = LinkReader(None)
    url = "http://a.test/tomato"

    def features(*urls: str) -> bytes:
        return reader.read(0.5, urls, [""] * len(urls), [""] * len(urls), b"").features

    first = features(url)
    for _ in range(LINKS_A_PAGE):
        features(url)
    assert features(url) == b""
    features(*(f"http://b.test/{number}" for number in range(5)))
    assert features(url) == first


@pytest.mark.slow
def test_reading_links_imports_nothing_while_a_page_waits() -> None:
    """numpy.ma alone takes longer than a page may before its process is set apart for it."""
    program = """if True:
        import sys
        from hinterland.crawler.features.topics.reading.link_reader import LinkReader
        reader = LinkReader(None)
        before = set(sys.modules)
        reader.read(0.5, ["http://a.test/mulch", "http://b.test/"], ["mulch", "there"], ["nav", "p"], b"mulch there")
        print(sorted(set(sys.modules) - before))
    """
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
