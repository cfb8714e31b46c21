"""An audit of a crawled farm, beside what the farm's own files say, whole and after cuts of the crawl.

    python -m benchmarks.audit_truth STORE --farm ROOT [--set small] [--command ../shared/webfarm/webfarm] [--cuts N]

STORE is a crawl of the farm with --audit. What the audit should find comes from the files alone: the links of each page
by the farm's own regular expression, the answers by the farm's own prediction, and titles, headings, images and
anchors by Python's html.parser. None of them is our code. html.parser builds no tree, so pages whose markup is
broken may differ.

With --cuts, copies of the store are made in which a random part of the pages waits, as after a kill. No audit of a cut
may call a page an orphan, nor say anything that the audit of the whole crawl does not say.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import shutil
import sqlite3
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from benchmarks.broken_links import true_pairs
from benchmarks.farm import Farm
from benchmarks.truth import module_of
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.library.audit.auditing import audit
from hinterland.library.audit.faults import NO_PAGE
from hinterland.library.audit.finding import AuditReport, State
from hinterland.library.audit.rules import RULES
from hinterland.storage.reading.opening import reading

Faults = Mapping[str, set[str]]
"""Rule -> the URLs at fault."""
_HIDDEN = ("script", "style", "template", "svg", "noscript", "textarea")


@dataclass
class _Read(HTMLParser):
    """What html.parser reads of a page. Mutable."""

    title: str | None = None
    description: str = ""
    language: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    images: int = 0
    has_viewport: bool = False
    is_noindex: bool = False
    canonical: str | None = None
    ids: set[str] = field(default_factory=set)
    fragments: set[tuple[str, str]] = field(default_factory=set)
    base: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._inside: list[str] = []
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in reversed(attrs)}
        names = {name for name, _ in attrs}
        if tag in _HIDDEN:
            self._inside.append(tag)
        if tag == "html":
            self.language = self.language or (given.get("lang") or given.get("xml:lang") or "").strip()
        if tag == "base" and "href" in names and not self.base:
            self.base = given["href"]
        if "id" in names:
            self.ids.add(given["id"])
        if tag == "a" and "name" in names:
            self.ids.add(given["name"])
        if tag in ("a", "area") and "#" in given.get("href", ""):
            path, _, fragment = given["href"].strip().partition("#")
            self.fragments.add((path, fragment))
        if tag == "img" and given.get("role") not in ("presentation", "none") and given.get("aria-hidden") != "true":
            self.images += "alt" not in names
        if tag == "meta":
            name, content = given.get("name", "").strip().lower(), given.get("content", "")
            if name == "description" and not self.description:
                self.description = content
            self.has_viewport |= name == "viewport"
            self.is_noindex |= name == "robots" and "noindex" in content.lower()
        if tag == "link" and "canonical" in given.get("rel", "").lower().split():
            href = given.get("href", "")
            self.canonical = self.canonical or (None if href.startswith("file:") else href)
        if tag == "title" and self.title is None and not self._inside:
            self._text = []
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._text = []

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()
        if self._text is None:
            return
        text = " ".join("".join(self._text).split())
        if tag == "title" and self.title is None:
            self.title, self._text = text, None
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self.headings.append((int(tag[1]), text))
            self._text = None

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)


def expected(store: Path, farm: Farm, name: str) -> Faults:
    """Return what an audit of the store should find, by the files of the farm."""
    _, answer = module_of(farm, name)
    canonical = Canonicaliser().canonical
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        fetched = [
            url
            for url, kind in connection.execute(
                "SELECT url, content_type FROM page JOIN fetch ON fetch.page = page.id WHERE outcome = 'fetched'"
            )
            if kind.partition(";")[0] == "text/html"
        ]
    found = defaultdict[str, set[str]](set)
    read: dict[str, _Read] = {}
    bodies, titles = defaultdict[bytes, list[str]](list), Counter[tuple[str, str]]()
    for url in fetched:
        kind, *rest = answer(url)
        if kind != "page":
            continue
        body = Path(rest[0]).read_bytes()
        parser = _Read()
        parser.feed(body.decode("utf-8", "replace"))
        read[url] = parser
        if not parser.is_noindex and parser.canonical in (None, url):
            bodies[hashlib.sha256(body).digest()].append(url)
            if parser.title:
                titles[host_of(url), parser.title] += 1
    for url, parser in read.items():
        ones = [text for level, text in parser.headings if level == 1]
        title = parser.title or ""
        checks = {
            "title-missing": not title,
            "title-long": len(title) > 65,
            "title-duplicate": bool(title) and titles[host_of(url), title] > 1,
            "description-missing": not parser.description.strip(),
            "language-missing": not parser.language,
            "h1-missing": not any(ones),
            "h1-several": len(ones) > 1,
            "heading-skipped": any(below > above + 1 for (above, _), (below, _) in pairwise(parser.headings)),
            "image-alt": parser.images > 0,
            "viewport-missing": not parser.has_viewport,
        }
        for rule, is_wrong in checks.items():
            if is_wrong:
                found[rule].add(url)
    found["exact-duplicate"] = {url for urls in bodies.values() if len(urls) > 1 for url in urls}
    found["broken-link"] = {page for _, page in true_pairs(store, farm, name)}
    found["broken-fragment"] = set(_broken_fragments(read, canonical, answer))
    return found


def host_of(url: str) -> str:
    """Return the host of a URL."""
    return urlsplit(url).hostname or ""


def _broken_fragments(read: Mapping[str, _Read], canonical: object, answer: object) -> Iterator[str]:
    assert callable(canonical)
    assert callable(answer)
    for url, parser in read.items():
        base = urljoin(url, parser.base) if parser.base else url
        for path, fragment in parser.fragments:
            plain = fragment.partition(":~:")[0]
            if not plain or plain.lower() == "top" or plain[0] in "/!:" or "=" in plain:
                continue
            try:
                target = canonical(urldefrag(urljoin(base, path))[0]) if path or parser.base else url
            except ValueError:  # no URL
                continue
            steps = 0
            while target is not None and target not in read and steps < 20 and answer(target)[0] == "to":
                target, steps = canonical(answer(target)[1]), steps + 1
            if target in read and not {plain, unquote(plain)} & read[target].ids:
                yield f"{target}#{plain}"


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


def main() -> None:
    """Compare the audit of a farm with the truth of its files, rule by rule, and with audits of cuts."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("store", type=Path)
    arguments.add_argument("--farm", type=Path, required=True, help="the root folder of the set")
    arguments.add_argument("--set", default="small", dest="name")
    arguments.add_argument("--command", type=Path, default=Path("../shared/webfarm/webfarm"))
    arguments.add_argument("--cuts", type=int, default=0, help="the number of cuts of the crawl to audit as well")
    given = arguments.parse_args()
    said = found_by(audit(given.store), given.store)
    true = expected(given.store, Farm(given.command, {given.name: given.farm}, cpu=0), given.name)
    print(f"{'rule':22} {'found':>7} {'truth':>7} {'false':>6} {'missing':>7}")
    for rule, urls in true.items():
        print(f"{rule:22} {len(said[rule]):7} {len(urls):7} {len(said[rule] - urls):6} {len(urls - said[rule]):7}")
        for title, odd in (("false", said[rule] - urls), ("missing", urls - said[rule])):
            for url in sorted(odd)[:3]:
                print(f"    {title}: {url}")
    if given.cuts:
        compare_cuts(given.store, said, given.cuts)


if __name__ == "__main__":
    main()
