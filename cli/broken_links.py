"""`links --broken`: broken links, and the pages that contain them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from hinterland.cli.output import Output
from hinterland.library.text.broken_links_text import COLUMNS, broken_link_rows, reason
from hinterland.library.text.csv_text import csv_text
from hinterland.library.text.wording import counted, number, printable
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.broken_links import BrokenPage, BrokenTargets

_AT_ONCE = 200
_LINKS = 5


def write_broken(store: Path, output: Output, *, as_csv: bool, as_json: bool, limit: int) -> None:
    """Write the broken links of a store.

    `as_csv` writes a row for each link, and `as_json` an object for each broken page. Otherwise, up to `limit` pages
    are described in words. Raises NoStore.
    """
    is_whole = as_csv or as_json
    with reading(store) as reader:
        targets = reader.broken_links.targets()
        if as_csv:
            output.write(csv_text([COLUMNS]).rstrip())
        elif not as_json:
            output.write("\n".join(_heading(targets)))
        shown = len(targets.pages) if is_whole else min(limit, len(targets.pages))
        for start in range(0, shown, _AT_ONCE):
            places = range(start, min(start + _AT_ONCE, shown))
            pages = reader.broken_links.described(targets, places, most_links=None if is_whole else _LINKS)
            if as_csv:
                output.write(csv_text(broken_link_rows(pages)).rstrip())
            elif as_json:
                output.write("\n".join(json.dumps(asdict(page), ensure_ascii=True) for page in pages))
            else:
                output.write("\n".join(line for page in pages for line in _lines(page)))
    if shown < len(targets.pages):
        output.write(f"... and {number(len(targets.pages) - shown)} more pages; --csv lists them all")


def _heading(targets: BrokenTargets) -> Iterator[str]:
    if not len(targets.pages):
        yield "no broken links are known"
    for kind in sorted(targets.by_kind, key=lambda each: -each.pages):
        links = "" if kind.links is None else f", {counted(kind.links, 'link')} to them"
        yield f"{printable(reason(kind.outcome, kind.status))}: {counted(kind.pages, 'page')}{links}"
    if not targets.knows_links:
        yield "the pages that link there are known once the links of this store of an earlier version are sorted"


def _lines(page: BrokenPage) -> Iterator[str]:
    yield ""
    linking = page.linking_pages
    there = "" if linking is None else f", {counted(linking, 'page links', 'pages link')} there"
    yield f"{printable(page.page.url)} ({printable(reason(page.outcome, page.status))}{there})"
    for link in page.links:
        way = "" if link.via is None else f", by way of {printable(link.via.url)}"
        yield f"    {printable(link.source.url)} {json.dumps(printable(link.anchor), ensure_ascii=False)}{way}"
    if linking is not None and linking > _LINKS:
        yield "    ..."
