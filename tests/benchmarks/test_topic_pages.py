"""Which pages count as about something, and how hosts are parted."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.topic_classifier import best_macro_f1
from benchmarks.topic_pages import TOPICS, drawn, halves, is_about

HOSTS = np.array([f"http://{name}.test" for name in "aaabbbcccdddeee"])
ABOUT = np.array([name in "abc" for name in "aaabbbcccdddeee"])


@pytest.mark.parametrize(
    "topic, url, expected",
    [
        ("sql database query", "http://www.sqlite.org/lang.html", True),
        ("sql database query", "http://docs.oracle.com/en/java/javase/17/docs/api/java.sql/java/sql/Array.html", True),
        ("sql database query", "http://docs.oracle.com/en/java/javase/17/docs/api/java/util/Map.html", False),
        ("http request server", "http://nim-lang.org/docs/sums.html", False),  # the scheme is not a word of the path
        ("mail smtp message", "http://elsewhere.test/smtp", False),
    ],
)
def test_a_page_is_about_what_its_folder_is_about(topic: str, url: str, expected: bool) -> None:
    assert is_about(topic, url) is expected


def test_every_topic_has_three_words_and_pages_on_several_hosts() -> None:
    for words, hosts in TOPICS.items():
        assert len(words.split()) == 3
        assert len(hosts) >= 4


def test_no_host_is_in_both_halves_and_both_have_the_topic() -> None:
    for seed in range(10):
        known = halves(HOSTS, ABOUT, seed)
        assert not set(HOSTS[known]) & set(HOSTS[~known])
        assert ABOUT[known].any()
        assert ABOUT[~known].any()


def test_pages_are_drawn_from_all_hosts_in_turn_and_none_twice() -> None:
    found = drawn(HOSTS, ABOUT, 6, seed=1)
    assert len(set(found)) == 6
    assert ABOUT[found].all()
    assert sorted(HOSTS[found].tolist()) == sorted([*set(HOSTS[ABOUT].tolist())] * 2)
    assert len(drawn(HOSTS, ABOUT, 100, seed=1)) == 9


def test_the_best_threshold_is_found_wherever_it_is() -> None:
    truth = np.array([True, True, False, False])
    assert best_macro_f1(np.array([0.02, 0.03, 0.01, 0.0]), truth) == 1
    # three said to be about it, two of them rightly: F1 4/5 and 2/3
    assert best_macro_f1(np.array([0.9, 0.2, 0.3, 0.1]), truth) == pytest.approx((4 / 5 + 2 / 3) / 2)
