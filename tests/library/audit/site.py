"""A small site with one fault of each kind that the pages and links of a store show."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from hinterland.library.audit.auditing import audit
from hinterland.library.audit.finding import AuditReport, Finding
from hinterland.storage.schema import LINK_KINDS
from tests.support.stored_pages import Link, Page, write_store

FRONT, GONE, FAILING, REFUSED, MOVED, TWICE, LOOP, HIDDEN, SHUT, COPY, ALONE, LAST = range(12)
GOOD = Page(title="A title", description="A page that says what it is about.", text="words")
CANONICAL = LINK_KINDS.index("canonical")


def pages() -> list[Page]:
    """The pages of the site; their numbers are the names above."""
    found = [replace(GOOD, title=f"Page {number}", description=f"About {number}.", depth=1) for number in range(12)]
    everything = [Link(target, f"to {target}") for target in range(1, 12) if target != ALONE]
    found[FRONT] = replace(found[FRONT], links=everything, depth=0)
    found[GONE] = Page(outcome="client_error", status=404, depth=1)
    found[FAILING] = Page(outcome="server_error", status=500, depth=1)
    found[REFUSED] = Page(outcome="client_error", status=403, depth=1)
    found[MOVED] = Page(outcome="redirected", status=302, redirect=GONE, depth=1)
    found[TWICE] = Page(outcome="redirected", status=301, redirect=MOVED, depth=1)
    found[LOOP] = Page(outcome="redirected", status=301, redirect=LOOP, depth=1)
    found[HIDDEN] = replace(found[HIDDEN], is_noindex=True, links=[Link(FRONT)])
    found[SHUT] = Page(outcome="robots", status=0, state="refused", depth=1)
    found[COPY] = replace(found[COPY], canonical=GONE, title="", description="", language="", headings="[]")
    found[ALONE] = replace(found[ALONE], links=[Link(FRONT)], headings='[[1, "One"], [3, "Three"], [1, "Two"]]')
    found[LAST] = replace(found[LAST], title="Page 0", description="About 0.", links=[Link(FRONT), Link(COPY)])
    return found


def report_of(path: Path, site: list[Page], **options: object) -> AuditReport:
    """An audit of a store of these pages, made at `path`."""
    return audit(write_store(path, site), now=1_000_000.0, **options)  # type: ignore[arg-type]


def by_rule(report: AuditReport) -> dict[str, Finding]:
    """The findings by the names of their rules."""
    return {finding.rule.name: finding for finding in report.findings}


def urls(finding: Finding) -> list[str]:
    """The paths of the pages that a finding names."""
    return sorted(example.url.removeprefix("http://a.test") for example in finding.examples)


def headings(*levels: int) -> str:
    """Headings of these levels, as a store keeps them."""
    return json.dumps([[level, f"Heading {place}"] for place, level in enumerate(levels)])
