"""What the crawl concludes from a failure of each of its hosts, without an event loop, a network or a store."""

from __future__ import annotations

import pytest

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.failure_attribution import FailureAttribution
from hinterland.crawler.loop.decisions.restored import RestoredState
from tests.support.decisions import NOW, components_of_a_crawl, settings_of_a_crawl


@pytest.mark.parametrize("has_begun", [True, False])
def test_hosts_that_break_off_their_answers_show_that_the_network_works(has_begun: bool) -> None:
    components, settings, warnings = components_of_a_crawl(), settings_of_a_crawl(), list[str]()
    crawl_state = CrawlState(components, settings, RestoredState(), lambda: NOW)
    crawl_state.seeded(["http://a.test/", "http://b.test/"])
    attribution = FailureAttribution(components, crawl_state, settings.politeness, warnings.append, lambda record: None)
    for host in (0, 1):
        attribution.heard(host, Answer(200, b"", 0.1), NOW)
    for host in (0, 1):
        attribution.heard(host, NoAnswer(OutcomeKind.DISCONNECTED, "closed", 0.1, has_begun=has_begun), NOW)
    assert components.frontier.is_paused == bool(warnings) == (not has_begun)
