"""The report of broken links of a crawled farm, beside what the farm's own files say.

    python -m benchmarks.broken_links STORE --farm ROOT [--set small] [--command ../shared/webfarm/webfarm]

STORE is a crawl of the farm. What the report should say comes from the files alone: the links of every HTML file that
the crawl has fetched, read by the farm's own regular expression, and the answers that the farm's own prediction gives
for where they lead, redirects followed, if the crawl asked for them. Neither is our code. Links in comments and scripts
may differ (see the farm's README).
"""

from __future__ import annotations

import argparse
import sqlite3
from contextlib import closing
from pathlib import Path

from benchmarks.farm import Farm, add_crawled_farm_options, crawled_farm_of
from benchmarks.truth import is_only_compressed, module_of
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.reading.opening import reading

Pair = tuple[str, str]
"""Linking page, broken page."""

_MOST_REDIRECTS = 20


def reported(store: Path) -> set[Pair]:
    """Return the pairs of page and broken target that the report of a store names."""
    with reading(store) as reader:
        targets = reader.broken_links.targets()
        pages = reader.broken_links.described(targets, range(len(targets.pages)), most_links=None)
    return {(link.source.url, page.page.url) for page in pages for link in page.links if link.kind in ("a", "area")}


def true_pairs(store: Path, farm: Farm, name: str) -> set[Pair]:
    """Return the true pairs, for the fetched pages and the links that the crawl followed."""
    module, answer = module_of(farm, name)
    canonical = Canonicaliser().canonical
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        fetched = [url for (url,) in connection.execute("SELECT url FROM page WHERE state = 'fetched' ORDER BY id")]
        asked = {url for (url,) in connection.execute("SELECT url FROM page JOIN fetch ON fetch.page = page.id")}
    ends: dict[str, str | None] = {}

    def broken_end(url: str) -> str | None:
        """Return where a broken link ends; None if it is not broken, or its target was not requested."""
        here = url
        for _ in range(_MOST_REDIRECTS):
            spelt = canonical(here)
            if spelt is None or spelt not in asked:
                return None
            kind, *rest = answer(spelt)
            if kind != "to":
                return spelt if kind == "miss" and not is_only_compressed(farm.roots[name] / "www", spelt) else None
            here = rest[0]
        return None

    pairs = set()
    for url in fetched:
        kind, *rest = answer(url)
        if kind != "page":
            continue
        for link in module.links_of(rest[0], url)[2]:
            if link not in ends:
                ends[link] = broken_end(link)
            if (end := ends[link]) is not None:
                pairs.add((url, end))
    return pairs


def main() -> None:
    """Compare the report of broken links with the truth of the farm, and print the differences."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_crawled_farm_options(arguments)
    given = arguments.parse_args()
    farm = crawled_farm_of(given)
    said, true = reported(given.store), true_pairs(given.store, farm, given.name)
    print(f"report: {len(said)} links to {len({page for _, page in said})} broken pages")
    print(f"truth:  {len(true)} links to {len({page for _, page in true})} broken pages")
    for title, pairs in (("only in the report", said - true), ("only in the truth", true - said)):
        print(f"{title}: {len(pairs)}")
        for source, target in sorted(pairs)[:10]:
            print(f"  {source} -> {target}")


if __name__ == "__main__":
    main()
