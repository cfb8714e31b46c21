"""Whether a page that is sent again has changed: the detector against the histories of real sites.

    python -m benchmarks.change_detection flink-web.git --content article .col-sm-9 --show 20

A repository with the pages of a site as they were published is a history of real versions, with all that its templates
did to them. Pairs are successive versions of a page whose bytes differ. The truth is told by the site's own container
of content, which the detector does not know: a pair has changed if the letters and digits in it did, or if a link
there leads where none on the page led before, be it by http or https. Then noise is put into both pages of each pair,
other noise into each, and into two copies of one page, which has not changed: clocks, tokens, counters and
advertisements as sites have them.
"""

from __future__ import annotations

import argparse
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from benchmarks.page_noise import NOISES, UNSEEN, noisy
from hinterland.crawler.features.recrawl.revisits import has_new_links
from hinterland.crawler.parsing.changes.differences import passages
from hinterland.crawler.parsing.messages import EarlierPage, PageDigest, RawPage
from hinterland.crawler.parsing.pool.config import parser_config
from hinterland.crawler.parsing.pool.page_digester import PageDigester
from hinterland.crawler.settings import Settings
from hinterland.storage.values.compression import unpacked_bytes

URL: Final = "https://site.example/"
_UNSEEN: Final = "script, style, noscript, iframe, title"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two successive versions of a page."""

    path: str
    before: bytes
    after: bytes


def pairs(repository: Path, branch: str, path: str, of_a_page: int, most: int, random: Random) -> Iterator[Pair]:
    """Drawn at random: no more than so many of each page, and no more than so many in all."""
    command = ("log", branch, "--raw", "--no-abbrev", "--no-renames", "--diff-filter=M", "--format=", "--", path)
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in _git(repository, *command).decode("utf-8", "replace").splitlines():
        columns, _, name = line.partition("\t")
        if name.endswith((".html", ".htm")):
            found[name].append((columns.split()[2], columns.split()[3]))
    drawn = [(n, *blobs) for n, of_it in found.items() for blobs in random.sample(of_it, k=min(of_a_page, len(of_it)))]
    for name, before, after in random.sample(drawn, k=min(most, len(drawn))):
        yield Pair(name, _git(repository, "cat-file", "blob", before), _git(repository, "cat-file", "blob", after))


def _git(repository: Path, *command: str) -> bytes:
    return subprocess.run(["git", f"--git-dir={repository}", *command], check=True, capture_output=True).stdout


@dataclass(frozen=True, slots=True)
class Content:
    """What a page's container of content holds. links: as written."""

    letters: str
    links: set[str]


def content(html: bytes, containers: Sequence[str], without: str) -> tuple[str, Content] | None:
    """The first container that is there, with what is in it but for what a selector finds; None without any."""
    tree = LexborHTMLParser(html)
    for each in reversed(tree.css(without)) if without else ():
        each.decompose()
    for selector in containers:
        if node := tree.css_first(selector):
            links = _links(node.css("a[href]"))
            for unseen in reversed(node.css(_UNSEEN)):
                unseen.decompose()
            return selector, Content("".join(filter(str.isalnum, node.text(separator=" "))), links)
    return None


def has_changed(before: bytes, after: bytes, containers: Sequence[str], without: str) -> bool | None:
    """None if one of them has no container, or another one."""
    was, now = content(before, containers, without), content(after, containers, without)
    if was is None or now is None or was[0] != now[0]:
        return None
    known = _links(LexborHTMLParser(before).css("a[href]"))
    return was[1].letters != now[1].letters or bool(now[1].links - known - {""})


def _links(anchors: Sequence[LexborNode]) -> set[str]:
    hrefs = ((anchor.attributes.get("href") or "").partition("#")[0].strip() for anchor in anchors)
    return {f"http:{href[6:]}" if href.startswith("https:") else href for href in hrefs}


class Detector:
    """The crawl's own: the stored version, and then the other, as a parser process reads them."""

    def __init__(self) -> None:
        self._digester = PageDigester(parser_config(Settings()))

    def stored(self, html: bytes) -> PageDigest:
        return self._digester.digest(RawPage(URL, html, content_type="text/html; charset=utf-8"))

    def says_changed(self, before: PageDigest, html: bytes) -> bool:
        """Whether the look ends as `changed`."""
        assert before.page is not None
        earlier = EarlierPage(before.body_hash, before.page.title, before.text or b"")
        now = self._digester.digest(RawPage(URL, html, content_type="text/html; charset=utf-8", earlier=earlier))
        if now.comparison is None or now.comparison.is_same or now.page is None:
            return now.comparison is None
        targets = {url: number for number, url in enumerate({*before.page.link_urls, *now.page.link_urls})}
        led_to = {targets[url] for url in before.page.link_urls}
        urls = [*now.page.link_urls]
        leads_to = [targets[url] for url in urls]
        return bool(now.comparison.share) or has_new_links(now.comparison.links, urls, leads_to, led_to, targets.get)


@dataclass(slots=True)
class Score:
    """wrong: what was taken for a change (or missed) by mistake, with an example of what differs."""

    asked: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, *, is_wrong: bool) -> None:
        self.asked[name] += 1
        self.wrong[name] += is_wrong

    def line(self, name: str) -> str:
        asked, wrong = self.asked[name], self.wrong[name]
        return f"{name:32} {asked:6,} {wrong:6,} {wrong / max(asked, 1):8.2%}"


def _shown(detector: Detector, pair: Pair) -> str:
    texts = (unpacked_bytes(detector.stored(html).text or b"").decode() for html in (pair.before, pair.after))
    old, new = (text.split() for text in texts)
    told = [
        f"[-{' '.join(old[each.old_start : each.old_end])}-]{{+{' '.join(new[each.new_start : each.new_end])}+}}"[:160]
        for each in passages(old, new)
    ]
    return f"  {pair.path}: {'  '.join(told[:6])}"


class Measurement:
    """Asks the detector about pairs, and keeps the score. shows: so many mistakes of each kind are told of."""

    def __init__(
        self, containers: Sequence[str], without: str, kinds: Sequence[str], random: Random, shows: int
    ) -> None:
        self._containers = containers
        self._without = without
        self._kinds = kinds
        self._random = random
        self._shows = shows
        self._detector = Detector()
        self.score = Score()

    def ask(self, pair: Pair) -> None:
        truth = has_changed(pair.before, pair.after, self._containers, self._without)
        stored = self._detector.stored(pair.before)
        if truth is None or stored.page is None:
            return
        is_wrong = self._detector.says_changed(stored, pair.after) is not truth
        self._note("changed" if truth else "as it was", pair, is_wrong=is_wrong)
        kind, place = self._random.choice(self._kinds), self._random.random()
        first = noisy(pair.before, kind, Random(place), self._random)
        again = noisy(pair.before, kind, Random(place), self._random)
        after = noisy(pair.after, kind, Random(place), self._random)
        if first is None or again is None:
            return
        stored = self._detector.stored(first)
        has_noise = Pair(f"{pair.path} with {kind}", first, again)
        self._note(f"noise: {kind}", has_noise, is_wrong=self._detector.says_changed(stored, again))
        if truth and after is not None:
            is_missed = not self._detector.says_changed(stored, after)
            self._note("changed, with noise", Pair(has_noise.path, first, after), is_wrong=is_missed)

    def _note(self, name: str, pair: Pair, *, is_wrong: bool) -> None:
        self.score.add(name, is_wrong=is_wrong)
        if is_wrong and self.score.wrong[name] <= self._shows:
            print(f"{name}, but taken for the other {_shown(self._detector, pair)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what the detector takes for a change, and what it misses.")
    parser.add_argument("repository", type=Path, help="a bare git repository of published pages")
    parser.add_argument("--branch", default="HEAD", help="that has the pages")
    parser.add_argument("--path", default=".", help="of the pages in it")
    parser.add_argument("--content", nargs="+", required=True, help="CSS selectors of the container of content")
    parser.add_argument("--without", default="", help="a CSS selector of menus and such that stand in it")
    parser.add_argument("--of-a-page", type=int, default=4, help="so many pairs of each page at most")
    parser.add_argument("--most", type=int, default=1_000, help="so many pairs at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unseen", action="store_true", help="noise that the detector's rules were not made for")
    parser.add_argument("--show", type=int, default=0, help="so many mistakes of each kind")
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    kinds = sorted(UNSEEN if arguments.unseen else NOISES)
    measurement = Measurement(arguments.content, arguments.without, kinds, Random(arguments.seed), arguments.show)
    history = (arguments.repository, arguments.branch, arguments.path)
    for pair in pairs(*history, arguments.of_a_page, arguments.most, random):
        measurement.ask(pair)
    score = measurement.score
    print(f"{'':32} {'asked':>6} {'wrong':>6}")
    for name in ("as it was", "changed", "changed, with noise"):
        print(score.line(name))
    noises = [name for name in score.asked if name.startswith("noise")]
    print(*(score.line(name) for name in sorted(noises)), sep="\n")
    asked, wrong = (sum(counts[name] for name in noises) for counts in (score.asked, score.wrong))
    still = "as it was"
    false = (wrong + score.wrong[still]) / max(asked + score.asked[still], 1)
    print(f"false changes: {false:.2%} (noise alone {wrong / max(asked, 1):.2%})")
    print(f"missed: {score.wrong['changed'] / max(score.asked['changed'], 1):.2%}")


if __name__ == "__main__":
    main()
