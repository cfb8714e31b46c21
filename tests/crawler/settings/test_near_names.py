"""Names that do not exist are answered with the one that was probably meant."""

from __future__ import annotations

from hinterland.crawler.settings.near_names import nearest, with_nearest


def test_the_nearest_is_the_one_with_most_letters_in_common() -> None:
    assert nearest("bsf", ["random", "dfs", "bfs"]) == "bfs"
    assert nearest("in-degree", ["indegree", "outlink-count"]) == "indegree"


def test_capital_letters_do_not_matter() -> None:
    assert nearest("OPIC", ["bfs", "opic"]) == "opic"


def test_a_complaint_names_the_nearest_and_all_of_them() -> None:
    said = with_nearest('there is no policy "bsf"', "bsf", ["random", "bfs"])
    assert said == 'there is no policy "bsf"; the nearest is "bfs". All of them: random, bfs'
