"""The export format `llms-txt`: for each host an llms.txt, which lists its pages, and an llms-full.txt with their text.

llms.txt is a proposal of llmstxt.org: a title, a summary, and sections with links. Each section holds the pages in one
top folder of the host. Sections, and the pages in them, are in descending order of rank.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from hinterland.crawler.parsing.markdown.inline import Piece, inline_markdown
from hinterland.crawler.parsing.markdown.markdown_blocks import markdown_of
from hinterland.library.corpus.corpus_pages import Counts, corpus_rows, read_pages
from hinterland.library.corpus.markdown_format import CONTENT
from hinterland.storage.exports.format import FolderFormat, FormatOption, Written, whole_number
from hinterland.storage.exports.sitemap import folder_of
from hinterland.storage.exports.source import ExportSource, PageRow

_LISTED: Final = FormatOption("the most pages in each section of llms.txt", 50, whole_number(1, 1_000_000))
_LONGEST: Final = 300
_OTHER: Final = "Other pages"


@dataclass(slots=True)
class _Section:
    """The pages of one folder of a host. Mutable."""

    rank: float = 0.0
    pages: list[tuple[float, int]] = field(default_factory=list)
    """Rank, negative for the order, and number of each page."""


def _write(source: ExportSource, what: str, folder: Path) -> Written:
    counts, hosts = Counts(), defaultdict[str, dict[str, _Section]](dict)
    homes: dict[str, int] = {}
    for row in corpus_rows(source, counts):
        rank = row.as_web_sees or row.as_site_sees or 0.0
        path = urlsplit(row.url).path
        if path == "/":
            homes[row.host] = row.page
        section = hosts[row.host].setdefault(_section_of(path), _Section())
        section.rank += rank
        section.pages.append((-rank, row.page))
    count = 0
    for host, sections in hosts.items():
        place = folder / folder_of(host)
        place.mkdir()
        ordered = sorted(sections.items(), key=lambda item: (-item[1].rank, item[0]))
        _write_list(source, place / "llms.txt", host, homes.get(host), ordered)
        pages = sorted(page for _, section in ordered for page in section.pages)
        with (place / "llms-full.txt").open("w", encoding="utf-8", errors="replace", newline="\n") as full:
            for page in read_pages(source, source.rows_of([number for _, number in pages]), counts):
                full.write(f"# {_text(page.row)}\n\nSource: <{page.row.url}>\n\n{markdown_of(page.blocks)}\n")
                count += 1
    return Written(count, "pages", dict(counts.left_out))


def _write_list(
    source: ExportSource, file: Path, host: str, home: int | None, sections: Sequence[tuple[str, _Section]]
) -> None:
    most = int(source.selection.options["listed"])
    first = next(iter(source.rows_of([] if home is None else [home])), None)
    with file.open("w", encoding="utf-8", errors="replace", newline="\n") as out:
        title = host.partition("://")[2] if first is None else _text(first)
        out.write(f"# {title}\n")
        if first is not None and (summary := _line(first.description or "")):
            out.write(f"\n> {summary}\n")
        for name, section in sections:
            out.write(f"\n## {_line(name)}\n\n")
            for row in source.rows_of([number for _, number in sorted(section.pages)[:most]]):
                about = _line(row.description or "")
                out.write(f"- [{_text(row, in_link=True)}](<{row.url}>)" + (f": {about}" if about else "") + "\n")


def _section_of(path: str) -> str:
    first, slash, _ = path[1:].partition("/")
    return unquote(first, errors="replace") if slash and first else _OTHER


def _text(row: PageRow, *, in_link: bool = False) -> str:
    text = _line(row.title or row.url)
    return text.replace("[", "\\[").replace("]", "\\]") if in_link else text


def _line(text: str) -> str:
    return inline_markdown([Piece(" ".join(text.split())[:_LONGEST])])


LLMS_TXT: Final = FolderFormat(
    ".llms",
    ("pages",),
    _write,
    r"https?-[a-z0-9._-]+(/llms(-full)?\.txt)?",
    options={"listed": _LISTED, "content": CONTENT},
    has_ranks=True,
)
