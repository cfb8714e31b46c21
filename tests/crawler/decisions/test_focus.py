"""What visits tell of a topic, and that a crawl that goes on knows it again."""

from __future__ import annotations

import numpy as np
import pytest

from crawler.decisions.focus import Focus
from crawler.focus.readings import PageReading
from crawler.pages.discoveries import Discoveries
from crawler.pages.known_pages import KnownPages
from crawler.policies import make_policy
from crawler.policies.focused import Focused
from crawler.policies.reading_policy import Reading
from storage.values.topics import RelevanceRecord
from tests.support.decisions import parts_of_a_crawl
from tests.support.link_features import features_of

SEEDS = [f"http://h{number}.test/" for number in range(4)]
LINKS = features_of([[5, 9], [], [2]], likeness=0.5)
READ = PageReading(
    0.9, LINKS.sizes.astype(np.uint8).tobytes(), LINKS.features.tobytes(), LINKS.likenesses.tobytes()
)


@pytest.fixture
def known() -> KnownPages:
    found = parts_of_a_crawl().known
    found.add_seeds(SEEDS, Discoveries())
    return found


def visited(focus: Focus) -> list[tuple[RelevanceRecord, bool]]:
    """A page that was read, one that could not be, and a file; each with whether it was read."""
    pages = [(each, True) for each in focus.read(0, READ, [1, -1, 2])]
    pages += [(each, True) for each in focus.read(1, PageReading(0.2), [])]
    return pages + [(each, False) for each in focus.ended(2, "application/pdf; version=1")]


@pytest.mark.parametrize("policy", ["bfs", "focused"])
@pytest.mark.parametrize("targets, visits", [((), 2), (("application/pdf",), 3)])
def test_a_crawl_that_goes_on_counts_its_harvest_from_where_it_was(
    known: KnownPages, policy: str, targets: tuple[str, ...], visits: int
) -> None:
    before, after = (Focus(make_policy(policy, 0), known, targets) for _ in range(2))
    for record, is_page in visited(before):
        after.restore(record, is_page=is_page)
    assert after.statistics() == before.statistics()
    assert after.statistics().visits == visits
    assert after.statistics().relevant == 1 + bool(targets)


def test_what_was_not_read_is_recorded_only_for_those_who_learn_or_seek_files(known: KnownPages) -> None:
    assert Focus(make_policy("bfs", 0), known).ended(2, "image/png") == []
    assert Focus(make_policy("focused", 0), known).ended(2, "image/png") == [RelevanceRecord(2, 0.0)]
    assert Focus(make_policy("bfs", 0), known, ["image/png"]).ended(2, "image/png") == [RelevanceRecord(2, 1.0)]


class Remembering(Focused):
    """Remembers what it is told, in values that can be compared."""

    def __init__(self) -> None:
        super().__init__(seed=0)
        self.told: list[tuple[object, ...]] = []

    def read(self, reading: Reading) -> None:
        links = reading.features
        arrays = (reading.targets, reading.target_hosts, links.ends, links.features, links.likenesses)
        self.told.append((reading.page, reading.host, reading.relevance, *(each.tolist() for each in arrays)))


def test_a_learner_is_told_the_same_when_a_crawl_goes_on(known: KnownPages) -> None:
    first, second = Remembering(), Remembering()
    records, after = visited(Focus(first, known)), Focus(second, known)
    for record, is_page in records:
        after.restore(record, is_page=is_page)
    assert len(first.told) == 3
    assert second.told == first.told


@pytest.mark.parametrize("policy", ["bfs", "focused"])
def test_a_document_that_is_sought_is_as_relevant_when_it_was_read(known: KnownPages, policy: str) -> None:
    focus = Focus(make_policy(policy, 0), known, ["application/pdf"])
    [document] = focus.read(0, PageReading(0.0), [], "application/pdf; version=1")
    [page] = focus.read(1, PageReading(0.0), [], "text/html")
    assert (document.probability, page.probability) == (1.0, 0.0)
    assert focus.statistics().relevant == 1
