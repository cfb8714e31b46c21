"""Microdata and OpenGraph as our rules see them, compared with extruct: pip install extruct, needed only for this.

    python -m benchmarks.extraction.beside_extruct STORE

STORE is a crawl of the full set with bodies. 300 pages of six hosts that have either format are drawn at random; the
items must be the same, white space aside. CPU times of both start from the bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from extruct.opengraph import OpenGraphExtractor
from extruct.w3cmicrodata import MicrodataExtractor

from hinterland.crawler.parsing.extraction.structured_data import StructuredData
from hinterland.crawler.parsing.extraction.tree import PageTree
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.compression import unpacked_bytes

_HOSTS = ("docs.gtk.org", "www.kernel.org", "help.libreoffice.org", "docs.buildbot.net", "praw.", "scikit-learn.org")
_PAGES = 300
_LOOKED_AT = 5_000


def main() -> None:
    """Compare both on the pages, and print the differences and the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    pages = _drawn(parser.parse_args().store)
    same, properties, ours, theirs = 0, [0, 0], 0.0, 0.0
    for url, body in pages:
        started = time.process_time()
        text = body.decode("utf-8", "replace")
        items = MicrodataExtractor().extract(text, base_url=url)
        graphs = OpenGraphExtractor().extract(text)
        theirs += time.process_time() - started
        started = time.process_time()
        data = StructuredData(PageTree(body), url)
        found = data.items("microdata")
        data.meta("og:title")
        ours += time.process_time() - started
        inner = {id(value) for item in found for values in item.values() for value in values}
        tops = [_ours(item) for item in found if id(item) not in inner]
        same += _sorted(map(_theirs, items)) == _sorted(tops)
        for graph in graphs:
            for name, value in graph["properties"]:
                properties[value in data.meta(name)] += 1
    print(f"{len(pages)} pages: microdata the same on {same}; OpenGraph: {properties[1]} the same, {properties[0]} not")
    print(f"ms of CPU a page: ours {1000 * ours / len(pages):.2f}, extruct {1000 * theirs / len(pages):.2f}")


def _drawn(store: Path) -> list[tuple[str, bytes]]:
    dice = random.Random(1)
    with reading(store) as reader:
        pages = [page for page in reader.extractions.fetched() if any(host in page.url for host in _HOSTS)]
        dice.shuffle(pages)
        drawn = []
        for page in pages[:_LOOKED_AT]:
            body = unpacked_bytes(reader.extractions.bodies([page.number])[page.number])
            if b"itemscope" in body or b'property="og:' in body:
                drawn.append((page.url, body))
        return drawn[:_PAGES]


def _sorted(items: Any) -> list[str]:
    return sorted(json.dumps(item, sort_keys=True) for item in items)


def _ours(value: object) -> object:
    if not isinstance(value, Mapping):
        return "".join(str(value).split())
    item = {name: [_ours(each) for each in values] for name, values in value.items() if name not in ("@id", "@type")}
    return item | {"@type": sorted(value.get("@type", []))}


def _theirs(value: Any) -> object:
    if not isinstance(value, Mapping):
        return "".join(str(value).split())
    types = value.get("type", [])
    names = [types] if isinstance(types, str) else types
    item = {
        name: [_theirs(each) for each in (found if isinstance(found, list) else [found])]
        for name, found in value.get("properties", {}).items()
    }
    return item | {"@type": sorted(name[max(name.rfind(mark) for mark in "/#:") + 1 :] for name in names)}


if __name__ == "__main__":
    main()
