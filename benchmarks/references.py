"""Do the names in the general indexes of language references find the pages that these name?

    python -m benchmarks.references STORE INDEX [--names 200] [--seed 0] [--show 20]

STORE is a crawl of the webfarm's full set, bodies kept, INDEX the folder of its index. Of each of three references as
many names are drawn from its own index: Python's general index (the full name, from the anchor it leads to), Rust's
list of all items of std (as it lists them, such as `collections::HashMap`), Java's list of all classes (the bare name).
The right page is the one that the entry leads to; of several of one name, any.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

from selectolax.lexbor import LexborHTMLParser

from hinterland.search.answers import QueryError
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.store.document_store import document_store
from hinterland.storage.values.compression import unpacked

REFERENCES = {
    "Python": "http://docs.python.org/3/genindex-%.html",
    "Rust": "http://doc.rust-lang.org/std/all.html",
    "Java": "http://docs.oracle.com/en/java/javase/17/docs/api/allclasses-index.html",
}
TOP = 3


def entries(reference: str, url: str, html: str) -> Iterator[tuple[str, str]]:
    """(name, URL of the page it leads to) of an index page."""
    for link in LexborHTMLParser(html).css("a[href]"):
        target, fragment = urldefrag(urljoin(url, link.attributes["href"] or ""))
        name = unquote(fragment) if reference == "Python" else link.text().strip()
        is_entry = {
            "Python": name.replace(".", "_").isidentifier() and "genindex" not in target,
            "Rust": target.startswith("http://doc.rust-lang.org/std/") and target.endswith(".html") and bool(name),
            "Java": "/java.base/" in target and target.endswith((f"/{name}.html", f".{name}.html")),
        }[reference]
        if is_entry and not fragment.startswith(("index-", "module-")):
            yield name, target


def pages_of_names(store: Path, reference: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    with closing(sqlite3.connect(f"{store.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "SELECT url, body FROM page JOIN content ON content.page = page.id WHERE url LIKE ? AND body IS NOT NULL",
            (REFERENCES[reference],),
        ).fetchall()
    for url, body in rows:
        for name, target in entries(reference, url, unpacked(body)):
            found[name].add(target)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path, metavar="STORE")
    parser.add_argument("index", type=Path, metavar="INDEX")
    parser.add_argument("--names", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0)
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    index = SearchIndex.open(arguments.index)
    counts = []
    with document_store(arguments.index / "documents.db") as documents:
        for place, reference in enumerate(REFERENCES):
            pages = pages_of_names(arguments.store, reference)
            count = arguments.names // 3 + (place < arguments.names % 3)
            names = generator.sample(sorted(pages), min(count, len(pages)))
            ranks = []
            for name in names:
                try:
                    hits = index.search(name, limit=10).hits
                except QueryError:
                    hits = ()
                shown = documents.documents([hit.page for hit in hits])
                urls = [{shown[hit.page].url, *shown[hit.page].copies} for hit in hits]
                rank = next((number for number, each in enumerate(urls, 1) if each & pages[name]), 0)
                ranks.append(rank)
                if not 1 <= rank <= TOP and arguments.show:
                    arguments.show -= 1
                    best = hits[0].url if hits else "nothing"
                    print(f"  {name}: {rank or 'not among 10'}; wanted {min(pages[name])}, first {best}")
            first, top = sum(rank == 1 for rank in ranks), sum(1 <= rank <= TOP for rank in ranks)
            counts.append((len(ranks), first, top))
            print(f"{reference}: {len(pages):,} names, {len(ranks)} asked: {first} first, {top} in the top {TOP}")
    asked, first, top = map(sum, zip(*counts, strict=True))
    print(f"all: {asked} asked: {first} first, {top} in the top {TOP} ({top / asked:.3f})")


if __name__ == "__main__":
    main()
