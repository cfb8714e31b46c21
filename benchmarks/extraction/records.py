"""How many records of sites.toml are right.

    python -m benchmarks.extraction.records STORE --root /path/to/webfarm

STORE is a crawl of the full set with bodies; it is only read. The records that the rules find on its pages are compared
with the truth of those pages: a record is right if it is in the truth, with the same two fields and the same count.
Precision is the share of the records found that are right, recall the share of the truth that was found.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.extraction import truth
from hinterland.crawler.parsing.extraction.extractor import Extractor
from hinterland.crawler.parsing.extraction.rule_file import read_rules
from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.compression import unpacked_bytes

RULES = Path(__file__).with_name("sites.toml")
_SHOWN = 5

Record = tuple[str, ...]
Records = dict[str, Counter[Record]]
"""Records by the URL of their page."""
TRUTHS: dict[str, tuple[str, Callable[[Path], Iterable[tuple[str, Record]]], tuple[str, str]]] = {
    "rust_item": ("doc.rust-lang.org", truth.rust_items, ("kind", "path")),
    "java_type": ("docs.oracle.com", truth.java_types, ("package", "name")),
    "java_member": ("docs.oracle.com", truth.java_members, ("id", "name")),
    "pandas_object": ("pandas.pydata.org", truth.pandas_objects, ("name", "role")),
}
"""For each table: the host, its truth, and the fields that are compared with it."""


def main() -> None:
    """Compare the records of each table with the truth, and print precision and recall."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--root", type=Path, required=True, help="of the webfarm's full set")
    arguments = parser.parse_args()
    pages, found = _found(arguments.store)
    print(f"{'table':15}{'truth':>8}{'found':>8}{'right':>8}{'precision':>11}{'recall':>9}")
    for table, (host, truth_of, _) in TRUTHS.items():
        expected: Records = defaultdict(Counter)
        for url, record in truth_of(arguments.root / "www" / host):
            if url in pages:
                expected[url][record] += 1
        _tell(table, expected, found[table])


def _found(store: Path) -> tuple[set[str], dict[str, Records]]:
    """All pages that were fetched, and the records on them, by table."""
    extractor = Extractor(read_rules(RULES.read_text(encoding="utf-8"), RULES.name))
    found: dict[str, Records] = {table: defaultdict(Counter) for table in TRUTHS}
    with reading(store) as reader:
        pages = reader.extractions.fetched()
        for page in pages:
            if not extractor.wants(page.url):
                continue
            body = unpacked_bytes(reader.extractions.bodies([page.number])[page.number])
            html = HtmlSource(body, page.content_type).readable
            for each in extractor.extract(html, page.url):
                for record in map(json.loads, each.records):
                    values = tuple(record.get(field, "") for field in TRUTHS[each.table][2])
                    found[each.table][page.url][values] += 1
    return {page.url for page in pages}, found


def _tell(table: str, expected: Records, found: Records) -> None:
    right = sum((expected[url] & found[url]).total() for url in list(expected))
    in_truth, in_found = (sum(counts.total() for counts in each.values()) for each in (expected, found))
    shares = f"{right / max(in_found, 1):>11.2%}{right / max(in_truth, 1):>9.2%}"
    print(f"{table:15}{in_truth:>8,}{in_found:>8,}{right:>8,}{shares}")
    for name, some, others in (("missing", expected, found), ("wrong", found, expected)):
        examples = [(url, record) for url in some for record in some[url] - others.get(url, Counter())]
        for url, record in examples[:_SHOWN]:
            print(f"    {name}: {record} of {url}")


if __name__ == "__main__":
    main()
