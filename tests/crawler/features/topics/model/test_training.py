"""Models made of examples."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

from hinterland.crawler.features.topics.model.calibration import calibrated, calibration_error
from hinterland.crawler.features.topics.model.examples import Example
from hinterland.crawler.features.topics.model.page_words import word_counts
from hinterland.crawler.features.topics.model.topic_model import probability
from hinterland.crawler.features.topics.model.training import CannotTrain, train
from tests.support.topics import GARDEN, SEA, background, examples, page_about

pytestmark = pytest.mark.slow


def test_a_page_is_judged_without_the_packages_that_training_needs() -> None:
    code = (
        "import sys, hinterland.crawler.features.topics.model.training; print({'sklearn', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_the_share_of_the_topic_in_the_background_is_found_and_taken_as_the_prior(share: float) -> None:
    assert train(examples(), background(400, share=share)).model.prior == pytest.approx(share, abs=0.07)


def test_a_prior_that_is_given_holds() -> None:
    assert train(examples(), background(), prior=0.25).model.prior == 0.25


def test_examples_of_one_kind_are_held_against_the_background() -> None:
    model = train(examples(about=5, other=0), background()).model
    pages = examples(about=20, other=20, seed=9)
    said = [probability(model.log_odds(page.page)) > 0.5 for page in pages]
    assert np.mean([a == page.is_about for a, page in zip(said, pages, strict=True)]) > 0.9


def test_examples_whose_hosts_teach_nothing_of_one_another_still_make_a_model_that_tells_pages_apart() -> None:
    rng = random.Random(1)
    of_host = {"http://one.test": GARDEN, "http://two.test": [*SEA[:4], "saucepan"]}
    two_kinds = [
        Example(page_about(words, rng), True, host, f"{host}/{number}")
        for host, words in of_host.items()
        for number in range(3)
    ]
    model = train(two_kinds, background(100, share=0.5)).model

    def said(words: list[str]) -> list[float]:
        return [probability(model.log_odds(page_about(words, rng))) for _ in range(30)]

    assert np.median(said(GARDEN)) > 0.5
    assert np.median(said(of_host["http://two.test"])) > 0.5
    assert np.median(said(SEA)) < 0.1


def test_without_an_example_of_the_topic_nothing_can_be_learnt() -> None:
    with pytest.raises(CannotTrain, match="--like"):
        train(examples(about=0), background())


def test_examples_of_the_topic_alone_make_a_model_of_what_is_like_them_and_say_so() -> None:
    trained = train([*examples(other=0), Example(word_counts("", [], ""), True, "http://empty.test", "empty")])
    rng = random.Random(9)
    about, other = (
        [probability(trained.model.log_odds(page_about(words, rng))) for _ in range(30)] for words in (GARDEN, SEA)
    )
    assert np.median(about) > 0.5 > max(other)
    assert any("--store" in note and "guesses" in note for note in trained.notes)
    assert len(trained.held_out) == 11
    assert np.median(trained.held_out) > 0.5


def test_one_example_of_each_kind_is_enough_to_go_on() -> None:
    trained = train(examples(about=1, other=1))
    assert any("no store" in note for note in trained.notes)


def test_training_the_same_twice_gives_the_same_bytes() -> None:
    assert train(examples(), background()).model.to_bytes() == train(examples(), background()).model.to_bytes()


# --- calibration --------------------------------------------------------------------------------


def mixture(share: float, pages: int = 4_000) -> tuple[np.ndarray, np.ndarray]:
    """Scores of pages, normal with means 3 and 1 and spread 0.8, and whether each is about the topic."""
    rng = np.random.default_rng(4)
    is_about = rng.random(pages) < share
    return rng.normal(np.where(is_about, 3.0, 1.0), 0.8), is_about


@pytest.mark.parametrize("share", [0.02, 0.08, 0.3])
def test_scores_mean_what_they_say_on_unlabelled_pages(share: float) -> None:
    scores, is_about = mixture(share)
    known, labels = mixture(0.5, 60)
    found = calibrated(known, labels, scores)
    assert found.prior == pytest.approx(share, rel=0.15)
    assert found.slope == pytest.approx((3 - 1) / 0.8**2, rel=0.25)
    said = 1 / (1 + np.exp(-found.log_odds(scores)))
    assert calibration_error(said, is_about) < 0.04


def test_a_share_that_is_known_is_kept() -> None:
    scores, _ = mixture(0.3)
    assert calibrated(*mixture(0.5, 60), scores, prior=0.01).prior == 0.01


def test_scores_that_mislead_say_nothing_but_the_prior() -> None:
    found = calibrated(np.array([-1.0, -2.0, 1.0, 2.0]), np.array([True, True, False, False]), np.empty(0))
    assert found.slope == 0
    assert found.log_odds(np.array([7.0]))[0] == pytest.approx(np.log(0.05 / 0.95))


def test_scores_that_mislead_as_soon_as_unlabelled_pages_count_say_nothing_but_the_prior() -> None:
    scores, labels = np.array([0.5, 9.0, 5.0, -5.0]), np.array([True, False, False, False])
    found = calibrated(scores, labels, np.array([-9.0, 5.0, -0.5, -9.0]), prior=0.95)
    assert found.slope == 0
    assert found.log_odds(np.array([7.0]))[0] == pytest.approx(np.log(0.95 / 0.05))


def test_the_calibration_error_of_no_pages_is_none() -> None:
    assert calibration_error(np.empty(0), np.empty(0, bool)) == 0


def test_calibration_error_is_nothing_where_what_is_said_is_so() -> None:
    said = np.full(1_000, 0.3)
    assert calibration_error(said, np.arange(1_000) < 300) == pytest.approx(0)
    assert calibration_error(said, np.arange(1_000) < 800) == pytest.approx(0.5)


def test_an_answer_is_judged_without_itself_but_with_other_pages_of_its_host() -> None:
    lot = random.Random(9)
    orchard, city = ["apple", "cider", "rootstock", "blossom"], ["tram", "station", "museum", "avenue"]
    answers = [
        Example(page_about(words, lot), words is orchard, f"http://{host}.test", f"http://{host}.test/{number}")
        for host, words in (("orchard", orchard), ("city", city))
        for number in range(4)
    ]
    trained = train([*examples(), *answers], background(), answers=len(answers))
    assert trained.left_out.shape == (8,)
    by_host = np.log(trained.held_out / (1 - trained.held_out))[-8:]
    assert (trained.left_out[:4] > by_host[:4]).all()
    assert not len(train(examples(), background()).left_out)
