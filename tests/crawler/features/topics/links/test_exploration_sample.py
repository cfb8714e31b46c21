"""Which visits count as part of the exploration sample."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.sampling import sampling_numbers
from hinterland.crawler.features.topics.links.exploration_sample import (
    Draw,
    ExplorationSample,
    in_this_order,
    order_with_sample,
)

SHARE, COUNT = 0.1, 200
PAGES = np.arange(5, 5 + COUNT, dtype=np.int32)
PREDICTED = np.random.default_rng(3).random(COUNT)


ORDER = order_with_sample(PREDICTED, PAGES, SHARE)
IN_ORDER: list[int] = PAGES[ORDER].tolist()
BY_DRAW: list[int] = PAGES[np.argsort(sampling_numbers(PAGES))].tolist()


def sample() -> ExplorationSample:
    found = ExplorationSample(SHARE)
    found.refreshed(PAGES, PREDICTED, ORDER, visits=1000, batch=COUNT)
    return found


def visit(drawn: ExplorationSample, *pages: int) -> list[Draw]:
    return [draw for page in pages for draw in drawn.visited(page, page / 1000, page / 100)]


def in_place(place: int) -> int:
    """A page behind that place in the order, and not among the first draws."""
    return next(page for page in IN_ORDER[place:] if page not in BY_DRAW[:60])


def brought_by_its_relevance() -> tuple[int, int]:
    """A page that stands in the order before its draw comes up, and when that is."""
    turns = ((page, 10 * number + 5) for number, page in enumerate(BY_DRAW))
    return next((page, turn) for page, turn in turns if IN_ORDER.index(page) + 1 < turn)


def test_of_the_visits_in_the_order_of_a_policy_only_the_sampled_ones_count() -> None:
    counting = [draw.page for draw in visit(sample(), *IN_ORDER[:95])]
    assert sorted(counting) == sorted(BY_DRAW[:10])  # the tenth comes with place 95, the next with 105


def test_a_page_that_its_prediction_brought_counts_once_its_draw_comes_up() -> None:
    drawn, (page, turn) = sample(), brought_by_its_relevance()
    assert visit(drawn, page, in_place(0)) == []
    assert [draw.page for draw in visit(drawn, in_place(turn))] == [page]


def test_a_draw_that_came_up_counts_when_its_host_lets_it() -> None:
    drawn = sample()
    assert visit(drawn, in_place(30)) == []
    assert [draw.page for draw in visit(drawn, BY_DRAW[0])] == BY_DRAW[:1]


def test_pages_found_since_and_visited_before_bring_no_draw_up() -> None:
    """Otherwise pages with high predictions would count, and those with low ones would still wait for their draws."""
    drawn, (page, _) = sample(), brought_by_its_relevance()
    assert visit(drawn, page, *range(1000, 1100)) == []


def test_a_draw_has_its_prediction_what_was_found_and_when_the_prediction_would_have_brought_it() -> None:
    page = BY_DRAW[0]
    (draw,) = visit(sample(), in_place(30), page)
    predicted = PREDICTED[page - 5]
    assert draw == Draw(page, predicted, page / 1000, page / 100, 1001 + int((predicted < PREDICTED).sum()))


def test_after_a_refresh_its_draws_count_and_no_others() -> None:
    drawn, (first, second) = sample(), BY_DRAW[:2]
    visit(drawn, in_place(30))
    waiting = np.array([second, 900], np.int32)
    drawn.refreshed(waiting, np.array([0.5, 0.1]), np.arange(2, dtype=np.int32), visits=1030, batch=COUNT)
    assert visit(drawn, first, second) == []


def test_with_the_last_page_that_waited_all_draws_come_up() -> None:
    assert {draw.page for draw in visit(sample(), *IN_ORDER)} == set(BY_DRAW[:41])  # as many as were prepared


def test_without_a_refresh_nothing_was_drawn() -> None:
    assert visit(ExplorationSample(SHARE), 1, 2, 3) == []


def test_the_page_that_comes_next_is_as_urgent_as_the_next_best_prediction() -> None:
    urgencies = in_this_order(ORDER, PREDICTED)
    assert sorted(urgencies.tolist()) == sorted(PREDICTED.tolist())
    assert PAGES[np.argsort(-urgencies, kind="stable")].tolist() == IN_ORDER
