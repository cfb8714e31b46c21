"""What a page costs with the rules of sites.toml, compared with Scrapy's parsel and the same selectors.

    python -m benchmarks.extraction.cost STORE

STORE is a crawl of the full set with bodies. For each site, both read 300 pages drawn at random, in one process and in
turn; each takes the bytes of a page and returns the same fields, parsing included. The least CPU time of several rounds
counts. Both must find the same number of records, or it says so. Needs the packages of requirements-bench.txt.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from parsel import Selector
from selectolax.lexbor import LexborHTMLParser

from benchmarks.extraction.records import RULES
from hinterland.crawler.parsing.extraction.extractor import Extractor
from hinterland.crawler.parsing.extraction.rule_file import read_rules
from hinterland.crawler.parsing.extraction.rules import RuleSet
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.compression import unpacked_bytes

_PAGES = 300
_ROUNDS = 5
_SEED = 7

Page = tuple[str, bytes]
Reads = Callable[[Selector], list[dict[str, Any]]]
_RUST = re.compile(r"^([A-Z][A-Za-z]*(?: [A-Z][a-z]+)*) (.+?)!?$")


def main() -> None:
    """Measure each table and print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    arguments = parser.parse_args()
    rules = read_rules(RULES.read_text(encoding="utf-8"), RULES.name)
    print(f"{'table':15}{'ours':>9}{'parsel':>9}{'ratio':>8}{'Lexbor tree':>13}{'records':>10}   (ms of CPU a page)")
    for table in rules.tables:
        extractor = Extractor(RuleSet([table]))
        pages = _drawn(arguments.store, extractor)
        reads = _PARSEL[table.name]
        ours, theirs, tree = [], [], []
        counts = (0, 0)
        for _ in range(_ROUNDS):
            seconds, found = _timed(pages, partial(_by_rules, extractor))
            ours.append(seconds)
            other_seconds, others = _timed(pages, partial(_by_parsel, reads))
            theirs.append(other_seconds)
            tree.append(_timed(pages, _tree)[0])
            counts = found, others
        best, other, least = (1000 * min(each) / len(pages) for each in (ours, theirs, tree))
        same = f"{counts[0]}" if counts[0] == counts[1] else f"{counts[0]}/{counts[1]}"
        print(f"{table.name:15}{best:>9.3f}{other:>9.3f}{other / best:>8.1f}{least:>13.3f}{same:>10}")


def _drawn(store: Path, extractor: Extractor) -> list[Page]:
    with reading(store) as reader:
        wanted = [page for page in reader.extractions.fetched() if extractor.wants(page.url)]
        drawn = random.Random(_SEED).sample(wanted, min(_PAGES, len(wanted)))
        bodies = reader.extractions.bodies([page.number for page in drawn])
        return [(page.url, unpacked_bytes(bodies[page.number])) for page in drawn]


def _timed(pages: Sequence[Page], read: Callable[[Page], Sequence[object]]) -> tuple[float, int]:
    """Seconds of CPU time, and how many records."""
    started = time.process_time()
    count = sum(len(read(page)) for page in pages)
    return time.process_time() - started, count


def _by_rules(extractor: Extractor, page: Page) -> Sequence[str]:
    [found] = extractor.extract(page[1], page[0])
    return found.records


def _by_parsel(reads: Reads, page: Page) -> Sequence[object]:
    return reads(Selector(text=page[1].decode()))


def _tree(page: Page) -> Sequence[str]:
    """Parse the page, which is the basis of everything else."""
    LexborHTMLParser(page[1])
    return ()


def _text(found: Any) -> str:
    return " ".join("".join(found.css("::text").getall()).split())


def _rust_items(page: Selector) -> list[dict[str, Any]]:
    found = _RUST.match(_text(page.css("h1.fqn > .in-band")))
    if found is None:
        return []
    summary = _text(page.css(".top-doc .docblock > :first-child")[:1])
    return [
        {"kind": found[1], "path": found[2], "summary": summary, "since": page.css(".out-of-band > .since::text").get()}
    ]


def _java_types(page: Selector) -> list[dict[str, Any]]:
    name = re.match(r"[A-Za-z0-9_$.]+", _text(page.css("#class-description > .type-signature .element-name")[:1]))
    if name is None:
        return []
    kind = re.match(r"[A-Za-z ]+? (?=[A-Z_])", _text(page.css("h1.title")[:1]))
    since = '#class-description > dl.notes > dt:contains("Since:") + dd'
    return [
        {
            "name": name[0],
            "package": _text(page.css(".sub-title > .package-label-in-type ~ a")[:1]),
            "kind": kind and kind[0],
            "since": _text(page.css(since)[:1]),
        }
    ]


def _java_members(page: Selector) -> list[dict[str, Any]]:
    return [{"id": each.attrib["id"], "name": _text(each.css("h3")[:1])} for each in page.css("section.detail[id]")]


def _pandas_objects(page: Selector) -> list[dict[str, Any]]:
    return [
        {
            "name": each.attrib["id"],
            "role": each.xpath("../@class").re_first(r"^py ([a-z]+)"),
            "signature": _text(each),
            "summary": _text(each.xpath("../dd/p")[:1]),
        }
        for each in page.css("dl.py > dt[id]:first-of-type")
    ]


_PARSEL: dict[str, Reads] = {
    "rust_item": _rust_items,
    "java_type": _java_types,
    "java_member": _java_members,
    "pandas_object": _pandas_objects,
}

if __name__ == "__main__":
    main()
