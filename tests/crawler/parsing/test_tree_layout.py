"""How the trees of the model of main content are laid out for the reader in C."""

from random import Random

import pytest

from hinterland.crawler.parsing.blocks.main_blocks import Model, main_content_model, score
from hinterland.crawler.parsing.compiled.tree_layout import LANES, TreeLayout, laid_out

_NUMBERS = 131
_TWO_LEAVES = Model(5, [0, 10, 1, 2, -1, 100, 0, 0, -1, 200, 0, 0], [0])


@pytest.mark.parametrize("numbers", [[9], [10], [11]])
def test_an_incomplete_group_of_trees_scores_like_the_model(numbers: list[int]) -> None:
    assert _score(laid_out(_TWO_LEAVES, 1), numbers, first=5) == score(numbers, _TWO_LEAVES)


def test_the_trees_of_main_content_score_like_the_model() -> None:
    model, random = main_content_model(), Random(1)
    layout = laid_out(model, _NUMBERS)
    for _ in range(200):
        numbers = [random.choice((-1, 0, 1, 3, 40, 900, 20_000)) for _ in range(_NUMBERS)]
        assert _score(layout, numbers, first=model.first) == score(numbers, model)


def _score(layout: TreeLayout, numbers: list[int], *, first: int) -> int:
    """Return the score that text_blocks.h computes."""
    extended, total = [*numbers, -(2**31)], first
    for place, root in enumerate(layout.roots):
        at = root
        for _ in range(layout.steps[place // LANES]):
            most, number, following = layout.nodes[at]
            at = following + (extended[number] > most)
        total += layout.nodes[at][0]
    return total
