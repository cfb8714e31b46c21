"""An audit of a crawled farm, beside what the farm's own files say, whole and after cuts of the crawl.

    python -m benchmarks.audit_truth STORE --farm ROOT [--set small] [--command ../shared/webfarm/webfarm]
        [--sitemaps FOLDER] [--cuts N]

STORE is a crawl of the farm with --audit, or with --check-links. What the audit should find comes from the files alone:
the markup by Python's html.parser, the answers by the farm's own prediction. None of them is our code, except that URLs
are spelt by our rules for canonical ones.

The farm has no sitemaps: `benchmarks.audit_truth.sitemaps` writes some into FOLDER, for its server to send.

With --cuts, copies of the store are made in which a random part of the pages waits, as after a kill. No audit of a cut
may call a page an orphan, nor say anything that the audit of the whole crawl does not say.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from benchmarks.audit_truth.expected import EXPECTED, SITEMAPS, UNCOMPUTED
from benchmarks.audit_truth.farm_pages import farm_pages
from benchmarks.audit_truth.sitemaps import listed_in
from benchmarks.farm import add_crawled_farm_options, crawled_farm_of
from benchmarks.truth import module_of
from hinterland.library.audit.auditing import audit
from hinterland.library.audit.faults import NO_PAGE
from hinterland.library.audit.finding import AuditReport, State
from hinterland.library.audit.rules import RULES
from hinterland.storage.reading.opening import reading

Faults = Mapping[str, set[str]]
"""Rule -> the URLs at fault."""


def found_by(report: AuditReport, store: Path) -> Faults:
    """Return what an audit has found."""
    found: dict[str, set[str]] = {}
    with reading(store) as reader:
        for finding in report.findings:
            faults = finding.faults
            urls = reader.pages.urls_of([page for page in faults.pages.tolist() if page != NO_PAGE])
            found[finding.rule.name] = {*urls.values(), *faults.urls}
    return found


def cut(store: Path, into: Path, dice: random.Random) -> None:
    """Copy a store and let a random part of its pages wait, with what they said undone."""
    shutil.copy(store, into)
    with closing(sqlite3.connect(into, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        pages = [page for (page,) in connection.execute("SELECT page FROM fetch")]
        lost = dice.sample(pages, max(1, int(len(pages) * dice.uniform(0.001, 0.9))))
        connection.execute("CREATE TEMP TABLE lost (page INTEGER PRIMARY KEY)")
        connection.executemany("INSERT INTO lost VALUES (?)", [(page,) for page in lost])
        for table, column in (("fetch", "page"), ("content", "page"), ("link", "source"), ("record", "page")):
            connection.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT page FROM lost)")
        connection.execute("UPDATE page SET state = 'waiting' WHERE is_local AND id IN (SELECT page FROM lost)")
        connection.execute("COMMIT")


def compare_cuts(store: Path, whole: Faults, cuts: int) -> None:
    """Audit cuts of a store, and print how many say what the whole crawl does not."""
    dice, retracted, orphans, not_yet = random.Random(1), Counter[str](), 0, 0
    chosen = [rule for rule in RULES if rule.name not in ("near-duplicate", "language-differs")]
    with tempfile.TemporaryDirectory(dir=store.parent) as folder:
        for number in range(cuts):
            part = Path(folder) / "cut.db"
            cut(store, part, dice)
            report = audit(part, rules=chosen)
            for rule, urls in found_by(report, part).items():
                retracted[rule] += len(urls - whole[rule])
            orphans += sum(each.count for each in report.findings if each.rule.name == "orphan")
            not_yet += any(each.rule.name == "orphan" and each.state is State.NOT_YET for each in report.findings)
            part.unlink()
            if number % 20 == 19:
                print(f"  {number + 1} cuts", flush=True)
    print(f"{cuts} cuts: {orphans} pages called orphans, {not_yet} audits say that it cannot be said yet")
    print(f"findings that the whole crawl takes back: {dict(+retracted) or 0}")


def show(rule: str, said: set[str], true: set[str], examples: int) -> None:
    """Print how many faults a rule has found and should have found, with examples of the differences."""
    print(f"{rule:24} {len(said):7} {len(true):7} {len(said - true):6} {len(true - said):7}", flush=True)
    for title, odd in (("false", said - true), ("missing", true - said)):
        for url in sorted(odd)[:examples]:
            print(f"    {title}: {url}")


def main() -> None:
    """Compare the audit of a farm with the truth of its files, rule by rule, and with audits of cuts."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_crawled_farm_options(arguments)
    arguments.add_argument("--examples", type=int, default=3, help="of differences, for each rule")
    arguments.add_argument("--rule", action="append", help="compare only this rule; can be repeated (default: all)")
    arguments.add_argument("--sitemaps", type=Path, help="the folder of the sitemaps that the hosts had")
    arguments.add_argument("--cuts", type=int, default=0, help="the number of cuts of the crawl to audit as well")
    given = arguments.parse_args()
    report = audit(given.store, rules=[rule for rule in RULES if given.rule is None or rule.name in given.rule])
    said = found_by(report, given.store)
    farm = crawled_farm_of(given)
    listed = [] if given.sitemaps is None else listed_in(given.sitemaps)
    pages = farm_pages(given.store, module_of(farm, given.name)[1], given.farm, farm.seeds(given.name), listed)
    expected = EXPECTED if given.sitemaps is None else {**EXPECTED, **SITEMAPS}
    print(f"{len(pages.read)} pages\n{'rule':24} {'found':>7} {'truth':>7} {'false':>6} {'missing':>7}")
    compared = 0
    for finding in report.findings:
        name = finding.rule.name
        if finding.state not in (State.FOUND, State.NONE):
            print(f"{name:24} {finding.state}: {finding.why}")
        elif (why := UNCOMPUTED.get(name)) is not None or name not in expected:
            print(f"{name:24} {len(said[name]):7} not compared: {why or 'the farm has no sitemaps'}")
        else:
            compared += 1
            show(name, said[name], set(expected[name](pages)), given.examples)
    print(f"{compared} of {len(report.findings)} rules compared")
    if given.cuts:
        compare_cuts(given.store, said, given.cuts)


if __name__ == "__main__":
    main()
