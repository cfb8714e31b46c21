"""What the benchmark of `topic judge` measures."""

from __future__ import annotations

import random

import numpy as np
import pytest

from benchmarks.topic_judging.__main__ import tables
from benchmarks.topic_judging.labelled_pages import LEFT_OUT, TOPICS, TUNED_ON, LabelledPages, drawn, halves, is_about
from benchmarks.topic_judging.runs import Run, Said, best_f1, run
from hinterland.crawler.features.topics.files.stored_pages import StoredPage
from tests.support.topics import GARDEN, SEA, page_about

MAIL = "mail smtp message"


def test_a_page_is_about_a_topic_by_its_folder() -> None:
    assert is_about(MAIL, "http://www.postfix.org/anything.html")
    assert is_about(MAIL, "http://docs.python.org/3/library/smtplib.html")
    assert not is_about(MAIL, "http://docs.python.org/3/library/os.html")
    assert not is_about(MAIL, "http://www.sqlite.org/smtplib.html")


def test_no_topic_is_both_tuned_on_and_left_out() -> None:
    assert len(TUNED_ON) == 4
    assert len(LEFT_OUT) == 6
    assert {*TUNED_ON, *LEFT_OUT} == set(TOPICS)


def test_hosts_are_wholly_in_one_half_and_examples_come_from_all_in_turn() -> None:
    hosts = np.array([f"http://h{number % 12}" for number in range(120)])
    about = np.arange(120) % 12 < 4
    known = halves(hosts, about, 1)
    assert all(len(set(known[hosts == host])) == 1 for host in np.unique(hosts))
    assert len(np.unique(hosts[known & about])) == 2
    assert sorted(hosts[drawn(hosts, known & about, 6, 1)]) == sorted([*np.unique(hosts[known & about])] * 3)


def test_the_best_f1_is_that_of_the_best_threshold() -> None:
    assert best_f1(np.array([4.0, 3, 2, 1]), np.array([True, False, True, False])) == pytest.approx(0.8)


def result(kind: str, f1: float, *, true: float) -> Run:
    said = Said(said=0.5, low=0.4, high=0.6, true=true)
    return Run(topic=MAIL, kind=kind, draw=0, share=0.1, yes=5, f1=f1, best=0.8, precision=said, recall=said)


def test_tables_give_the_gap_and_how_often_intervals_hold() -> None:
    lines = list(tables([result("3 words", 0.7, true=0.6), result("3 words", 0.5, true=0.61)]))
    assert lines[2].startswith("| 3 words | 2 | 0.600 | 0.800 | 0.200 | 0.50, 0.60 | 1 of 2 | 0.20 |")
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| 3 words", f"| {MAIL}", "| all"]


@pytest.mark.slow
def test_a_run_judges_pages_of_hosts_that_gave_no_example() -> None:
    lot = random.Random(1)
    hosts = ["www.postfix.org", "www.exim.org", *(f"h{number}.test" for number in range(8))]
    pages = [
        StoredPage(f"http://{host}/{n}", f"http://{host}", "", [], "", page_about(GARDEN if of < 2 else SEA, lot))
        for of, host in enumerate(hosts)
        for n in range(40)
    ]
    found = run(LabelledPages(pages, np.array([page.host for page in pages])), MAIL, "20 examples", 0, 10)
    assert found is not None
    assert found.share == pytest.approx(0.2)
    assert found.yes > 0
    assert 0.9 < found.f1 <= found.best == pytest.approx(1, abs=0.01)
