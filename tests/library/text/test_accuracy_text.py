"""How the exploration sample of a crawl with a topic is put into words."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from hinterland.crawler.features.topics.links.exploration_accuracy import ExplorationAccuracy, exploration_accuracy
from hinterland.crawler.features.topics.links.exploration_sample import Draw
from hinterland.library.text.accuracy_text import accuracy_lines, accuracy_of
from hinterland.library.text.wording import json_text


def accuracy(waiting: int = 1000) -> ExplorationAccuracy:
    relevant = [Draw(0, 0.8, 0.9, 0.7, turn=5), Draw(1, 0.3, 0.9, 0.7, turn=500)]
    others = [Draw(page, 0.1, 0.0, 0.1, turn=500) for page in range(2, 20)]
    found = exploration_accuracy([*relevant, *others], visits=100, relevant=50, waiting=waiting)
    assert found is not None
    return found


def test_shares_have_95_percent_confidence_intervals() -> None:
    relevant, order, left = accuracy_lines(accuracy())
    assert relevant == (
        "of 20 sampled pages 10 % (3 to 30) are relevant;"
        " of the 1 among them with a high predicted relevance 100 % (21 to 100)"
    )
    assert order == (
        "a relevant page was predicted above another 100 % (57 to 100) of the time;"
        " predicted 0.15 on average, actual 0.16 (0.08 to 0.24)"
    )
    assert left == (
        "of 1,000 waiting pages about 53 (9 to 246) are relevant: the crawl has visited 49 % (17 to 84) of the relevant"
        " pages it knows"
    )


def test_no_share_of_waiting_pages_is_given_if_none_waits() -> None:
    assert not any("waiting" in line for line in accuracy_lines(accuracy(waiting=0)))


def test_it_is_the_same_after_it_was_in_a_store() -> None:
    stored: dict[str, Any] = {"accuracy": asdict(accuracy())}
    assert accuracy_of(json.loads(json_text(stored))) == accuracy()
    assert accuracy_of({"seconds": 1.0}) is None
