"""What a crawl would do with a URL, and why. Pure: what must be looked up is passed as arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from hinterland.cli.explain.judgement import Judgement
from hinterland.crawler.features.traps.settings import TrapSettings
from hinterland.crawler.fetching.robots.rules import RobotsAvailability, RobotsRules, RobotsVerdict
from hinterland.crawler.frontier.pages.page_state import PageState
from hinterland.crawler.frontier.pages.scope import ScopeVerdict
from hinterland.crawler.frontier.politeness import rest_after_answer
from hinterland.crawler.loop.stored_feature import Remark
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.hosts import path_of
from hinterland.library.text.signals_text import reliability, signal_name, signals_as_json
from hinterland.library.text.slowed_text import REASONS, trust_option
from hinterland.library.text.wording import counted, duration, exact_seconds, moment, number, printable
from hinterland.storage.values.history import Change, RevisitSummary, StoredSignals
from hinterland.storage.values.hosts import SlowedReport
from hinterland.storage.values.pages import Page

_MAX_SITEMAPS = 5
_PAGE_FIELDS = (
    *("number", "url", "state", "is_local", "depth", "referrer", "outcome", "detail", "status", "attempt", "retry_at"),
    *("fetched_at", "redirect_target", "title", "cut"),
)
"""The fields of a stored page that are shown."""


class CrawlDecision(Enum):
    """What a crawl would do with a URL."""

    LEFT_ALONE = "it is not to be fetched"
    FETCHED_ALREADY = "it was fetched before"
    FAILED_FOR_GOOD = "it failed, and is not retried"
    FETCHED_LAST = "it would be fetched after everything else on its host"
    FETCHED = "it would be fetched"


@dataclass(frozen=True, slots=True)
class Robots:
    """What is known about a robots.txt. `availability` is None if the file was not requested."""

    availability: RobotsAvailability | None
    rules: RobotsRules
    source: str


@dataclass(frozen=True, slots=True)
class UrlExplanation:
    """What is known about a URL, and what a crawl would do with it.

    scope                  None if unknown
    page                   None if unknown
    refusal                why no request may be made to the address of its host; "" if requests are allowed
    slowed                 the shape of the URL, if URLs of that shape are visited after all others of their host
    look                   a summary of its revisits; None if it was not revisited
    last_change            the last change that revisits found
    moved_from             the URL of a page that has moved here
    signals                how reliably its host announces changes
    is_nofollow_of_page    True if the page that links here declares all its links nofollow, False if only this link
                           is nofollow, None if the link may be followed
    remarks                what features say about the page
    """

    given: str
    canonical: str
    host: str
    site: str
    scope: ScopeVerdict | None
    robots: Robots
    verdict: RobotsVerdict
    rest_seconds: float
    settings: Settings
    address: str = ""
    refusal: str = ""
    page: Page | None = None
    slowed: SlowedReport | None = None
    judgement: Judgement | None = None
    store: str = ""
    look: RevisitSummary | None = None
    last_change: Change | None = None
    moved_from: str | None = None
    signals: Sequence[StoredSignals] = ()
    is_nofollow_of_page: bool | None = None
    remarks: Sequence[Remark] = ()

    @property
    def obstacles(self) -> list[str]:
        """Reasons why the URL would not be fetched."""
        found = []
        if self.scope is not None and not self.scope.is_local:
            found.append("it is outside the scope")
        limit = self.settings.scope.depth_limit
        if self.page is not None and limit is not None and limit < self.page.depth:
            found.append(f"it is deeper than scope.max_depth = {limit}")
        if self._is_left_by_nofollow:
            found.append(f"only links that say nofollow lead to it, and {self._nofollow_setting} = true")
        if self.refusal:
            found.append(self.refusal)
        elif not self.verdict.allowed:
            found.append(
                "robots.txt cannot be read, and until it can, nothing is fetched from its host"
                if self.robots.availability is RobotsAvailability.UNREACHABLE
                else "robots.txt forbids it"
            )
        return found

    @property
    def decision(self) -> CrawlDecision:
        """What a crawl would do with the URL."""
        if self.obstacles:
            return CrawlDecision.LEFT_ALONE
        if self.page is not None and self.page.state in (PageState.FETCHED, PageState.REDIRECTED):
            return CrawlDecision.FETCHED_ALREADY
        if self.page is not None and self.page.state == PageState.FAILED:
            return CrawlDecision.FAILED_FOR_GOOD
        return CrawlDecision.FETCHED_LAST if self._is_slowed else CrawlDecision.FETCHED

    @property
    def conclusion(self) -> str:
        """The decision as a sentence, with its reasons and conditions."""
        match self.decision:
            case CrawlDecision.LEFT_ALONE:
                return f"It would not be fetched: {'; '.join(self.obstacles)}."
            case CrawlDecision.FETCHED_ALREADY:
                again = "a crawl would not fetch it again; `recrawl` checks whether it has changed"
                return f"It has been fetched; {again}."
            case CrawlDecision.FAILED_FOR_GOOD:
                return "It has failed for good and would not be retried."
            case CrawlDecision.FETCHED_LAST:
                return f"It would be fetched after everything else on its host{self._condition}, or be left waiting."
            case CrawlDecision.FETCHED:
                return f"It would be fetched{self._condition}."

    @property
    def _condition(self) -> str:
        """The conditions under which the URL would be fetched, if it is not known whether they are met."""
        doubts = []
        if self.scope is None:
            doubts.append("its seeds make it local")
        if self.robots.availability is None:
            doubts.append("its robots.txt allows it")
        return f", if {' and '.join(doubts)}" if doubts else ""

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yield labels and texts, in the order in which a crawl makes its decisions."""
        yield "given", printable(self.given)
        yield "canonical", printable(self.canonical)
        yield "host", self.host
        yield "site", self.site
        yield "scope", _scope_text(self.scope)
        if self.address:
            yield "address", self.address
        if self.refusal:
            yield "address", self.refusal
        yield from self._robots_rows()
        yield from self._delay_rows()
        for remark in self.remarks:
            for place, line in enumerate(remark.lines):
                yield "" if place else remark.label, printable(line)
        if self._is_slowed and self.slowed is not None:
            yield from _slowed_rows(self.slowed)
        if self.store:
            yield from _page_rows(self.page, self.store)
        if self.is_nofollow_of_page is not None:
            where = "the page where it was found, of all its links" if self.is_nofollow_of_page else "the link to it"
            yield "nofollow", f"is said by {where} ({self._nofollow_setting})"
        if self.look is not None:
            yield from _look_rows(self.look, self.last_change)
            for each in self.signals:
                yield signal_name(each), reliability(each)
        if self.moved_from is not None:
            yield "moved here", f"from {printable(self.moved_from)}"
        if self.judgement is not None:
            yield from self.judgement.rows()

    @property
    def _is_left_by_nofollow(self) -> bool:
        of_page = self.is_nofollow_of_page
        return of_page is not None and self.settings.robots.heeds_nofollow(of_page=of_page)

    @property
    def _nofollow_setting(self) -> str:
        return "robots.obey_page_directives" if self.is_nofollow_of_page else "robots.obey_nofollow"

    @property
    def _is_slowed(self) -> bool:
        traps = self.settings.of(TrapSettings)
        is_trusted = any(re.search(pattern, self.canonical) for pattern in traps.trusted)
        return self.slowed is not None and traps.enabled and not is_trusted

    def _robots_rows(self) -> Iterator[tuple[str, str]]:
        if self.refusal:
            yield "robots.txt", "not requested: no request is made to such an address"
            return
        yield "robots.txt", printable(self.robots.source)
        match self.robots.availability:
            case RobotsAvailability.UNREACHABLE:
                yield "", "cannot be read, so nothing is fetched until it can (RFC 9309, 2.3.1.4)"
            case RobotsAvailability.UNAVAILABLE:
                yield "", "there is none for us, so everything is allowed (RFC 9309, 2.3.1.3)"
            case RobotsAvailability.AVAILABLE:
                yield from _group_rows(self.verdict, self.settings.identity.name)
                yield from _sitemap_rows(self.robots.rules.sitemaps)

    def _delay_rows(self) -> Iterator[tuple[str, str]]:
        politeness = self.settings.politeness
        asked = self.robots.rules.crawl_delay
        limit = self.settings.robots.max_crawl_delay_seconds
        if asked is not None:
            capped = f", counted as {exact_seconds(limit)}" if asked > limit else ""
            yield "crawl-delay", f"{exact_seconds(asked)}{capped}"
        factor = ""
        if politeness.delay_factor > 0 and politeness.max_delay_seconds > self.rest_seconds:
            factor = (
                f", or {politeness.delay_factor:g} times the duration of the last fetch"
                f" (up to {exact_seconds(politeness.max_delay_seconds)}) if that is longer"
            )
        yield "rest", f"at least {exact_seconds(self.rest_seconds)} between two visits to the host{factor}"

    def as_json(self) -> dict[str, Any]:
        """Return the explanation as JSON values."""
        verdict, robots = self.verdict, self.robots
        return {
            "given": self.given,
            "canonical": self.canonical,
            "host": self.host,
            "site": self.site,
            "would_be_fetched": self.decision in (CrawlDecision.FETCHED, CrawlDecision.FETCHED_LAST),
            "conclusion": self.conclusion,
            "scope": None if self.scope is None else asdict(self.scope),
            "address": self.address or None,
            "address_refused": self.refusal or None,
            "robots": {
                "availability": None if robots.availability is None else robots.availability.value,
                "source": robots.source,
                **asdict(verdict),
                "crawl_delay": robots.rules.crawl_delay,
                "sitemaps": list(robots.rules.sitemaps),
            },
            "rest_seconds": self.rest_seconds,
            "slowed": asdict(self.slowed) if self.slowed is not None and self._is_slowed else None,
            "page": None if self.page is None else _page_as_json(self.page),
            "look": None if self.look is None else asdict(self.look),
            "last_change": None if self.last_change is None else self.last_change.kind,
            "moved_from": self.moved_from,
            "left_by_nofollow": self._is_left_by_nofollow,
            "signals": [signals_as_json(each) for each in self.signals],
            **{each.name: each.value for each in self.remarks},
            "topic": None if self.judgement is None else asdict(self.judgement),
        }


def verdict_on(robots: Robots, url: str) -> RobotsVerdict:
    """Return whether a robots.txt allows a canonical URL, even if the file was not available."""
    return robots.rules.verdict(path_of(url))


def least_rest(settings: Settings, rules: RobotsRules) -> float:
    """Return the minimum rest between two visits to a host, in seconds."""
    delay = rules.granted_delay(settings.robots.max_crawl_delay_seconds)
    return rest_after_answer(settings.politeness, 0.0, delay)


def _scope_text(scope: ScopeVerdict | None) -> str:
    if scope is None:
        return "unknown without seeds: give --seed URL, --seeds FILE or --store FILE"
    return f"{'local' if scope.is_local else 'outside'}: {scope.rule}"


def _slowed_rows(slowed: SlowedReport) -> Iterator[tuple[str, str]]:
    how = "is endless" if slowed.left_waiting else "is visited last"
    yield "shape", f"{printable(slowed.shape)} {how}: {REASONS.get(slowed.suspicion, slowed.suspicion)}"
    in_vain, left = number(slowed.in_vain), number(slowed.left_waiting)
    yield (
        "",
        f"{counted(slowed.visits, 'page')} visited, {in_vain} since then without anything new; {left} left waiting",
    )
    yield "", f"to fetch them like any others: crawl --resume --set {trust_option(slowed)}"


def _group_rows(verdict: RobotsVerdict, name: str) -> Iterator[tuple[str, str]]:
    """Yield labels and texts about the group of a robots.txt that applies to this crawler, and the rule that decides.

    `name` is the user agent of this crawler in robots.txt.
    """
    if verdict.group is None:
        yield "group", f'none for "{name}" and none for "*", so everything is allowed'
        return
    yield "group", f'"{verdict.group}"'
    if verdict.line_number is None:
        yield "rule", "allowed: no line of the group matches"
    else:
        word = "allowed" if verdict.allowed else "forbidden"
        yield "rule", f"{word} by line {verdict.line_number}: {printable(verdict.line or '')}"


def _sitemap_rows(sitemaps: Sequence[str]) -> Iterator[tuple[str, str]]:
    for place, sitemap in enumerate(sitemaps[:_MAX_SITEMAPS]):
        yield "sitemaps" if place == 0 else "", printable(sitemap)
    if len(sitemaps) > _MAX_SITEMAPS:
        yield "", f"and {len(sitemaps) - _MAX_SITEMAPS} more"


def _page_as_json(page: Page) -> dict[str, object]:
    return {
        **{name: getattr(page, name) for name in _PAGE_FIELDS},
        "referrer": None if page.referrer is None else page.referrer.url,
        "redirect_target": None if page.redirect_target is None else page.redirect_target.url,
    }


def _page_rows(page: Page | None, store: str) -> Iterator[tuple[str, str]]:
    if page is None:
        yield "page", f"not in {store}: no link to it has been seen"
        return
    links = "a seed, or the target of its redirect" if page.depth == 0 else f"{counted(page.depth, 'link')} from a seed"
    yield "page", f"number {page.number}, {page.state}, {links}"
    if page.referrer is not None:
        yield "found on", printable(page.referrer.url)
    if page.outcome is not None and page.fetched_at is not None:
        detail = f" ({printable(page.detail)})" if page.detail else ""
        status = "" if page.status is None or page.detail == f"status {page.status}" else f", status {page.status}"
        yield (
            "last visit",
            f"{moment(page.fetched_at)}: {page.outcome}{status}{detail}, attempt {page.attempt}",
        )
    if page.redirect_target is not None:
        yield "leads to", printable(page.redirect_target.url)
    if page.title:
        yield "title", printable(page.title)
    if page.cut:
        parts = (f"{number(count)} of {what.replace('_', ' ')}" for what, count in page.cut.items())
        yield "cut", f"shortened or left out because there was too much: {', '.join(parts)}"
    if page.retry_at is not None:
        yield "next try", f"not before {moment(page.retry_at)}"


def _look_rows(look: RevisitSummary, last: Change | None) -> Iterator[tuple[str, str]]:
    changes = f"{counted(look.changes, 'change')}" if look.changes else "no change"
    yield "revisited", f"{counted(look.looks, 'time')}, last {moment(look.looked_at)}: {changes}"
    if look.changed_at is not None:
        yield "", f"the last change was found {moment(look.changed_at)}{'' if last is None else f': {last.kind}'}"
    if look.missed:
        yield "", f"not found the last {counted(look.missed, 'time')}"
    if look.rate:
        yield "changes", f"about every {duration(1 / look.rate)} (estimated)"
    if look.due is not None:
        yield "due", f"{moment(look.due)}, by the last budget; pages that change often and matter are due more often"
