"""Audits a store: applies every rule, weighs the faults that it finds, and reports which rules could not be judged."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from hinterland.analysis.graph import FloatArray, IntArray
from hinterland.distribution.extras import need
from hinterland.library.audit.audited_store import AuditedStore
from hinterland.library.audit.comparison import EarlierAudit, NotAReport, PagesSeen, compared, earlier_audit
from hinterland.library.audit.faults import NO_PAGE, Faults
from hinterland.library.audit.finding import AuditReport, Cause, Example, Finding, State, Trend
from hinterland.library.audit.fingerprints import Prints, prints_of
from hinterland.library.audit.kinds import Need
from hinterland.library.audit.ranks import weight_of
from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules import RULES
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import counted
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader

EXAMPLES: Final = 10
_CAUSES: Final = 5
_MANY: Final = 20_000
"""For more URLs than this, all URLs of the store are read."""


def audit(
    store: str | Path,
    *,
    rules: Sequence[Rule] = RULES,
    examples: int = EXAMPLES,
    compare_with: str | Path | None = None,
    on_step: Callable[[str], None] = lambda _step: None,
    now: float | None = None,
) -> AuditReport:
    """Return what is wrong with the local pages of a store, as `hinterland audit` does.

    `examples` is the number of faults of each rule that are described in full. `compare_with` is the JSON report of an
    earlier audit. `on_step` is called with the name of each rule before the rule is applied. `now` is the time of the
    audit in epoch seconds; None means the time of the call.

    Raises MissingPackage, NoStore, and HinterlandError if the earlier report cannot be read.
    """
    need("rank", by="an audit, which weighs what it finds by PageRank")
    earlier = None if compare_with is None else _earlier(Path(compare_with))
    with reading(Path(store)) as reader:
        reader.connection.execute("BEGIN")
        try:
            at = time.time() if now is None else now
            return audit_of(reader, str(store), rules, examples=examples, earlier=earlier, on_step=on_step, at=at)
        finally:
            reader.connection.execute("ROLLBACK")


def _earlier(path: Path) -> EarlierAudit:
    try:
        return earlier_audit(path.read_bytes())
    except (OSError, NotAReport) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise HinterlandError(f"{path} is not a JSON report of an earlier audit: {why}") from error


def audit_of(
    reader: StoreReader,
    name: str,
    rules: Sequence[Rule],
    *,
    examples: int,
    earlier: EarlierAudit | None,
    on_step: Callable[[str], None],
    at: float,
) -> AuditReport:
    """Audit the store of an open reader; see `audit`."""
    audited = AuditedStore(reader, at)
    judged = []
    for rule in rules:
        on_step(rule.name)
        judged.append(_judged(rule, audited))
    on_step("comparing")
    urls = _Urls(audited, [finding.faults for finding, _ in judged])
    seen = None if earlier is None else _pages_seen(audited)
    findings = [_described(*each, audited, urls, examples, earlier, seen) for each in judged]
    return AuditReport(
        store=name,
        at=at,
        pages_of_hosts=dict(_hosts(audited, audited.documents.pages)),
        coverage=audited.coverage,
        findings=findings,
        knows_web_ranks=audited.web_ranks is not None,
        compared_with=None if earlier is None else earlier.at,
    )


def _judged(rule: Rule, audited: AuditedStore) -> tuple[Finding, FloatArray]:
    """Return the finding of a rule, without examples, and the share of the site's rank that each fault concerns."""
    nothing = np.empty(0)
    if lacking := [each for each in rule.needs if not audited.has(each)]:
        return Finding(rule, State.NOT_LOOKED_AT, lacking[0].value), nothing
    if rule.needs_whole_crawl and not audited.coverage.is_whole:
        return Finding(rule, State.NOT_YET, audited.coverage.missing), nothing
    faults = rule.faults(audited)
    caveat = "; ".join(filter(None, (rule.caveat(audited), _not_looked_at(rule, audited))))
    if not len(faults):
        return Finding(rule, State.NONE, caveat), nothing
    weight, shares = weight_of(faults, rule.loss, audited.outdegrees, audited.site_ranks, audited.web_ranks)
    order = np.argsort(-shares, kind="stable")
    return Finding(rule, State.FOUND, caveat, weight, faults=faults.only(order)), shares[order]


def _not_looked_at(rule: Rule, audited: AuditedStore) -> str:
    """Return in words which pages or files of a store a rule could not examine; "" if it could examine all."""
    parts = []
    if Need.FACTS in rule.needs and (pages := audited.without_facts):
        parts.append(f"{counted(pages, 'page was', 'pages were')} not looked at: read before --audit was given")
    if {Need.FACTS, Need.CHECKS} <= set(rule.needs) and (files := audited.unchecked_files):
        parts.append(f"{counted(files, 'file was', 'files were')} not asked for yet")
    return "; ".join(parts)


class _Urls:
    """The URLs of all faults of an audit."""

    def __init__(self, audited: AuditedStore, faults: Sequence[Faults]) -> None:
        pages = np.unique(np.concatenate([np.empty(0, np.int32), *(each.pages for each in faults)]))
        pages = pages[pages != NO_PAGE]
        if len(pages) > _MANY:
            wanted = np.zeros(audited.pages.count, np.bool_)
            wanted[pages] = True
            self._of = {page: url for page, url in audited.rows("SELECT id, url FROM page") if wanted[page]}
        else:
            self._of = audited.urls_of(pages)

    def of(self, faults: Faults) -> Sequence[str]:
        """Return the URL of each fault."""
        own = self._of
        pages = faults.pages.tolist()
        return [own[page] if page != NO_PAGE else faults.urls[place] for place, page in enumerate(pages)]


def _described(
    finding: Finding,
    shares: FloatArray,
    audited: AuditedStore,
    urls: _Urls,
    examples: int,
    earlier: EarlierAudit | None,
    seen: PagesSeen | None,
) -> Finding:
    faults = finding.faults
    names = urls.of(faults)
    prints, comparison, is_new = prints_of(names), None, np.zeros(len(faults), np.bool_)
    if earlier is not None and seen is not None:
        is_said = finding.state in (State.FOUND, State.NONE)
        before: Prints = earlier.prints.get(finding.rule.name, np.empty(0, np.uint64))
        comparison, is_new = compared(before, prints, seen, is_said=is_said)
    shown = np.argsort(~is_new, kind="stable")[:examples]  # the new ones first
    found = [
        Example(
            url=names[place],
            note=faults.note(place),
            page=None if faults.pages[place] == NO_PAGE else int(faults.pages[place]),
            causes=_causes(audited, faults, place),
            causing_pages=0 if faults.causes is None else len(faults.causes.of(place)),
            share=float(shares[place]),
            trend=None if comparison is None else (Trend.NEW if is_new[place] else Trend.STILL),
        )
        for place in shown.tolist()
    ]
    at_fault = _pages_of_site(faults, audited)
    return Finding(
        finding.rule,
        finding.state,
        finding.why,
        finding.weight,
        examples=found,
        by_host=dict(_hosts(audited, at_fault)),
        faults=faults,
        prints=prints.tobytes(),
        comparison=comparison,
    )


def _causes(audited: AuditedStore, faults: Faults, place: int) -> Sequence[Cause]:
    if faults.causes is None:
        return ()
    pages = faults.causes.of(place)
    weighty = pages[np.argsort(-audited.site_ranks.ranks[pages], kind="stable")][:_CAUSES].tolist()
    urls, target = audited.urls_of(weighty), int(faults.pages[place])
    return [Cause(urls[page], _anchor(audited, page, target)) for page in weighty]


def _anchor(audited: AuditedStore, source: int, target: int) -> str:
    found = audited.rows("SELECT anchor FROM link WHERE source = ? AND target = ? AND anchor <> ''", source, target)
    return next((str(anchor) for (anchor,) in found), "")


def _pages_of_site(faults: Faults, audited: AuditedStore) -> IntArray:
    """Return a local page for each of k faults: the page at fault or else the first page that causes it."""
    causes = faults.causes
    if causes is None or not len(causes.sources):
        return np.maximum(faults.pages, 0)
    first = causes.sources[np.minimum(causes.offsets[:-1], len(causes.sources) - 1)]
    is_own = (faults.pages != NO_PAGE) & audited.pages.is_local[faults.pages]
    return np.where(is_own | (causes.counts() == 0), np.maximum(faults.pages, 0), first)


def _hosts(audited: AuditedStore, pages: IntArray) -> list[tuple[str, int]]:
    """Return the URLs of the hosts of some pages, and how many of these pages each has, in descending order."""
    counts = Counter(audited.pages.hosts[pages].tolist())
    return [(audited.host_urls[host], count) for host, count in counts.most_common()]


def _pages_seen(audited: AuditedStore) -> PagesSeen:
    rows = list(audited.rows("SELECT id, url FROM page WHERE is_local"))
    pages, names = np.array([page for page, _ in rows], np.int32), [url for _, url in rows]
    prints = prints_of(names)
    order = np.argsort(prints)
    visited = audited.pages.is_state("fetched", "redirected", "failed", "refused")
    return PagesSeen(prints[order], visited[pages[order]], lambda place: names[order[place]], audited.coverage.is_whole)
