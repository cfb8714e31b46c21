"""Decides whose fault a failed visit is: the page's, the host's, or the local network's. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import UNREACHED, OutcomeKind
from hinterland.crawler.fetching.retry_after import asked_to_wait
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.network_watch import NetworkState
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.parsing.messages import Rendered
from hinterland.crawler.settings import PolitenessSettings
from hinterland.storage.values.records import Record

_GOOD: Final = frozenset({OutcomeKind.FETCHED, OutcomeKind.OTHER_TYPE, OutcomeKind.REDIRECTED})
_TELLS_NOTHING: Final = UNREACHED | {OutcomeKind.FORBIDDEN_ADDRESS}
"""Outcomes that say nothing about the local network."""


class FailureAttribution:
    """Reports the outcomes of requests to the frontier and the network watch.

    Some methods return records of pages that are not tried again, because their last failure proved to be the page's
    own fault.
    """

    def __init__(
        self,
        components: CrawlComponents,
        crawl_state: CrawlState,
        politeness: PolitenessSettings,
        warn: Callable[[str], None],
        save: Callable[[Record], object],
    ) -> None:
        """Take the parts of a crawl, and two functions for outages of the network.

        `warn` is called with a sentence when the network goes down or comes back. `save` is called with a record for
        each host that had failed before the outage was noticed: these failures were not the host's fault, so the store
        must not keep them if the crawl ends during the outage.
        """
        self._frontier = components.frontier
        self._network = components.network
        self._crawl_state = crawl_state
        self._retry_rules = components.retry_rules
        self._page_retry_after = politeness.page_retry_after_seconds
        self._tries_unheard = politeness.give_up_unheard_after_failures
        self._warn = warn
        self._save = save

    def page_answered(
        self,
        visit: Visit,
        verdict: Verdict,
        answer: Answer | NoAnswer,
        now: float,
        rendered: Rendered | None = None,
        *,
        was_heard: bool = False,
    ) -> list[Record]:
        """Report the end of a request for a page, after which its host rests or backs off.

        `rendered` counts the further requests to the host if the page was rendered. `was_heard` says that `heard` was
        called already, when the answer arrived.
        """
        rule = self._retry_rules.of(verdict.kind)
        if not was_heard:
            self.heard(visit.host, answer, now)
        if rule.blames_host:
            asked = self._asked_of_host(visit, answer, now)
            self._frontier.failed(visit, now, asked, is_mild=rule.is_mild, seconds=answer.seconds)
            return []
        requests, seconds = (0, 0.0) if rendered is None else (rendered.requests, rendered.seconds)
        charged = self._frontier.finished(
            visit, now, answer.seconds + seconds, is_good=verdict.kind in _GOOD, requests=1 + requests
        )
        return self._crawl_state.charged(charged) if charged else []

    def probe_answered(self, visit: Visit, verdict: Verdict, answer: Answer | NoAnswer, now: float) -> list[Record]:
        """Report the end of a request that only tested whether a host answers."""
        self.heard(visit.host, answer, now)
        if self._retry_rules.of(verdict.kind).blames_host:
            self._frontier.failed(visit, now, asked_to_wait(answer, now))
            return [self._crawl_state.host_state(visit.host, f"{verdict.kind}: {verdict.detail}")]
        records = self._crawl_state.charged(self._frontier.proved(visit, now, answer.seconds))
        return [*records, self._crawl_state.host_state(visit.host, None)]

    def look_up_failed(self, visit: Visit, failure: NoAnswer, now: float) -> Record:
        """Report that a host has no address, or a forbidden one."""
        self._crawl_state.tally.host_failures[failure.kind] += 1
        self.heard(visit.host, failure, now)
        if failure.kind is OutcomeKind.FORBIDDEN_ADDRESS and self._is_held(visit.host, failure):
            self._frontier.held(visit, now)
        else:
            self._frontier.failed(visit, now)
        return self._crawl_state.host_state(visit.host, f"{failure.kind}: {failure.detail}")

    def heard(self, host: int, answer: Answer | NoAnswer, now: float) -> None:
        """Report to the network watch whether a host answered, and pause or resume the frontier accordingly."""
        network, frontier = self._network, self._frontier
        if isinstance(answer, Answer) or answer.has_begun or answer.kind not in _TELLS_NOTHING:
            if network.state is not NetworkState.UP:
                seconds = network.seconds_down(now)
                if network.answered(host):
                    self._warn(f"the network is back after {seconds:.0f} s; the crawl resumes")
            else:
                network.answered(host)
            if network.state is NetworkState.UP and (frontier.is_paused or frontier.is_probing):
                frontier.go_on()
            return
        if answer.kind is OutcomeKind.FORBIDDEN_ADDRESS:
            return
        failures = frontier.politeness_of(host).failures
        is_lookup = answer.kind is OutcomeKind.DNS_FAILURE
        network.failed(host, failures, now, is_ours=answer.is_ours, is_lookup=is_lookup)
        if network.state is NetworkState.DOWN and not frontier.is_paused:
            failures_before = network.failures_before()
            frontier.pause(failures_before, now)
            for each in failures_before.keys() - {host}:
                self._save(self._crawl_state.host_state(each, None))
            self._warn(
                f"no host can be reached any more ({answer.kind}: {answer.detail}); this machine's network seems to be"
                " down. The crawl pauses and resumes by itself; nothing is lost"
            )

    def _is_held(self, host: int, failure: NoAnswer) -> bool:
        """Return whether a host at a forbidden address must be given up immediately.

        A host that has answered before may soon have its own address again: a name server can be wrong for a while.
        """
        state = self._frontier.politeness_of(host)
        return failure.is_final or not state.fetched or state.failures + 1 >= self._tries_unheard

    def _asked_of_host(self, visit: Visit, answer: Answer | NoAnswer, now: float) -> float | None:
        """Return the Retry-After to apply to the whole host, in seconds; None if only the page must wait.

        One broken page must not block its host. So a long Retry-After applies in full only if the visit before this one
        failed, too. Otherwise it is shortened for the host, or ignored if an earlier failure of the page was its own
        fault.
        """
        asked = asked_to_wait(answer, now)
        if asked is None or self._frontier.politeness_of(visit.host).failures:
            return asked
        if self._crawl_state.charges(visit.page):
            return None
        return min(asked, self._page_retry_after)
