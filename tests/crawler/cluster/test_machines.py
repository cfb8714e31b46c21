"""The room that a shard needs on a machine, and the message if no machine has it."""

from __future__ import annotations

import pytest

from hinterland.crawler.cluster.machines import PROCESSORS_A_SHARD, Machine, held_up_by
from hinterland.library.crawls.cluster_choice import MOST_SHARDS


def test_all_shards_of_the_largest_crawl_fit_on_one_machine_with_one_processor() -> None:
    assert MOST_SHARDS * PROCESSORS_A_SHARD <= 1.0


@pytest.mark.parametrize(
    "machines, by_room, said",
    [
        ([("10.0.0.2", 0.0, 2.0)], True, "no machine has room for the shard: 10.0.0.2 has 0 of 2 processors free"),
        (
            [("10.0.0.2", 0.0, 2.0), ("10.0.0.3", 0.005, 16.0)],
            True,
            "10.0.0.2 has 0 of 2 processors free, 10.0.0.3 has 0.005 of 16 processors free",
        ),
        ([("10.0.0.2", 0.0, 2.0), ("10.0.0.3", 1.0, 2.0)], False, "the shard's machine is slow to start it"),
        ([("10.0.0.1", 0.0, 0.0), ("10.0.0.2", 0.0, 2.0)], True, "no machine has room for the shard: 10.0.0.2 has"),
        ([("10.0.0.1", 0.0, 0.0)], True, "no machine with processors"),
        ([], True, "no machine with processors"),
    ],
)
def test_a_shard_that_does_not_start_is_reported_with_the_machines_that_lack_room(
    machines: list[tuple[str, float, float]], by_room: bool, said: str
) -> None:
    held_up = held_up_by([Machine(*each) for each in machines])
    assert held_up.by_room is by_room
    assert said in held_up.why
