"""What visits tell of a topic, and that a crawl that goes on knows it again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.features.topics.focus import MOST_DRAWS, Focus
from hinterland.crawler.features.topics.policies.focused import Focused
from hinterland.crawler.features.topics.policies.reading_policy import Reading
from hinterland.crawler.features.topics.reading.page_reading import PageReading
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.policies import make_policy
from hinterland.storage.values.topics import DrawRecord, RelevanceRecord
from tests.support.decisions import components_of_a_crawl
from tests.support.link_features import features_of

SEEDS = [f"http://h{number}.test/" for number in range(4)]
LINKS = features_of([[5, 9], [], [2]], likeness=0.5)
READ = PageReading(0.9, LINKS.sizes.astype(np.uint8).tobytes(), LINKS.features.tobytes(), LINKS.likenesses.tobytes())


@pytest.fixture
def known() -> KnownPages:
    found = components_of_a_crawl().known
    found.add_seeds(SEEDS, Discoveries())
    return found


def visited(focus: Focus) -> list[tuple[RelevanceRecord, bool]]:
    """A page that was read, one that could not be, and a file; each with whether it was read."""
    pages = [(each, True) for each in judgements(focus.read(0, READ, [1, -1, 2]))]
    pages += [(each, True) for each in judgements(focus.read(1, PageReading(0.2), []))]
    return pages + [(each, False) for each in judgements(focus.ended(2, "application/pdf; version=1"))]


def judgements(records: Sequence[RelevanceRecord | DrawRecord]) -> list[RelevanceRecord]:
    return [each for each in records if isinstance(each, RelevanceRecord)]


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
    """Remembers its readings, in values that can be compared."""

    def __init__(self) -> None:
        super().__init__(seed=0)
        self.told: list[tuple[object, ...]] = []

    def read(self, reading: Reading) -> None:
        links = reading.features
        arrays = (reading.targets, reading.target_hosts, links.ends, links.features, links.likenesses)
        self.told.append((reading.page, reading.host, reading.relevance, *(each.tolist() for each in arrays)))


def test_a_learner_gets_the_same_visits_when_a_crawl_goes_on(known: KnownPages) -> None:
    first, second = Remembering(), Remembering()
    records, after = visited(Focus(first, known)), Focus(second, known)
    for record, is_page in records:
        after.restore(record, is_page=is_page)
    assert len(first.told) == 3
    assert second.told == first.told


@pytest.mark.parametrize("policy", ["bfs", "focused"])
def test_a_document_that_is_sought_is_as_relevant_when_it_was_read(known: KnownPages, policy: str) -> None:
    focus = Focus(make_policy(policy, 0), known, ["application/pdf"])
    [document] = judgements(focus.read(0, PageReading(0.0), [], "application/pdf; version=1"))
    [page] = judgements(focus.read(1, PageReading(0.0), [], "text/html"))
    assert (document.probability, page.probability) == (1.0, 0.0)
    assert focus.statistics().relevant == 1


def test_draws_are_recorded_and_restored(known: KnownPages) -> None:
    policy = make_policy("focused", 0)
    before, after = Focus(policy, known), Focus(make_policy("focused", 0), known)
    nothing = LinkLog().snapshot(np.zeros(4, np.bool_), np.zeros(4, np.int32))
    policy.begin_refresh(nothing, np.arange(4, dtype=np.int32), 1000)()
    assert before.accuracy(9) is None
    records = [each for page in range(4) for each in before.read(page, PageReading(0.9 - page / 5), [])]
    for _ in range(120):  # visits that bring up all four draws
        records += before.ended(3, None)
    relevances = {each.page: each.probability for each in judgements(records)}
    for each in judgements(records):
        after.restore(each, is_page=False)
    after.restore_draws([(each, relevances[each.page]) for each in drawn(records)])
    found = after.accuracy(9)
    expected = before.accuracy(9)
    assert found is not None
    assert expected is not None
    assert found.relevant.count == 4
    assert (found.promised, found.worth) == (expected.promised, expected.worth)


def drawn(records: Sequence[RelevanceRecord | DrawRecord]) -> list[DrawRecord]:
    return [each for each in records if isinstance(each, DrawRecord)]


def test_accuracy_is_of_the_last_draws(known: KnownPages) -> None:
    focus = Focus(make_policy("focused", 0), known)
    focus.restore_draws([(DrawRecord(page, 0.5, 0.5, 0), float(page >= 100)) for page in range(MOST_DRAWS + 100)])
    found = focus.accuracy(0)
    assert found is not None
    assert (found.relevant.count, found.relevant.value) == (MOST_DRAWS, 1.0)
