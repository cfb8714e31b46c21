"""The export format `markdown`: a file for each page in the folders of its site, or one file for all pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from hinterland.crawler.parsing.markdown.markdown_blocks import markdown_of
from hinterland.library.corpus.corpus_pages import Counts, corpus_rows, read_pages
from hinterland.library.corpus.file_names import FILE_NAMES, FileNames
from hinterland.storage.exports.format import FileFormat, FolderFormat, FormatOption, Written, one_of
from hinterland.storage.exports.source import ExportSource, PageRow, json_line, utc

CONTENT: Final = FormatOption(
    "main: what a page is about; all: with its menus and the like", "main", one_of("main", "all")
)
_LINKS: Final = FormatOption(
    "files: links to pages of the export lead to their files; web: all links are whole URLs",
    "files",
    one_of("files", "web"),
)
_LINKED: Final = """
SELECT DISTINCT target.id, target.url FROM link JOIN page AS target ON target.id = link.target
JOIN fetch ON fetch.page = target.id
WHERE link.source = ? AND fetch.outcome = 'fetched' AND fetch.is_noindex IS NOT 1 AND target.is_local >= ?
"""


class _SiteFiles:
    """The files of an export, to which links between its pages lead."""

    def __init__(self, source: ExportSource) -> None:
        self._source = source
        self._names = FileNames(url for _, url in source.fetched_urls())
        self._links = source.selection.options["links"] == "files"

    def file(self, url: str) -> str:
        return self._names.path(url)

    def linked(self, page: int) -> Mapping[str, str]:
        if not self._links:
            return {}
        selection = self._source.selection
        rows = self._source.store.connection.execute(_LINKED, (page, int(selection.local_only)))
        return {url: self.file(url) for number, url in rows if number not in selection.without}


def front_matter(row: PageRow) -> str:
    """Return the metadata of a page as YAML, with texts quoted as in JSON."""
    known: dict[str, Any] = {
        "url": row.url,
        "title": row.title,
        "fetched": None if row.fetched_at is None else utc(row.fetched_at),
        "language": row.language,
        "rank": row.as_web_sees,
    }
    return "".join(
        f"{name}: {json_line(value).decode().rstrip()}\n" for name, value in known.items() if value not in (None, "")
    )


def _write_folder(source: ExportSource, what: str, folder: Path) -> Written:
    counts, count = Counts(), 0
    for page in read_pages(source, corpus_rows(source, counts), counts, _SiteFiles(source)):
        file = folder / page.file
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8", errors="replace", newline="\n") as out:
            out.write(f"---\n{front_matter(page.row)}---\n\n{markdown_of(page.blocks)}")
        count += 1
    return Written(count, "files", dict(counts.left_out))


def _write_file(source: ExportSource, what: str, file: BinaryIO) -> Written:
    counts, count = Counts(), 0
    for page in read_pages(source, corpus_rows(source, counts), counts):
        text = f"```yaml\n{front_matter(page.row)}```\n\n{markdown_of(page.blocks)}\n"
        file.write(text.encode("utf-8", "replace"))
        count += 1
    return Written(count, "pages", dict(counts.left_out))


_OPTIONS: Final = {"content": CONTENT}
MARKDOWN: Final = FolderFormat(
    ".markdown",
    ("pages",),
    _write_folder,
    FILE_NAMES,
    options={**_OPTIONS, "links": _LINKS},
    forms={".md": FileFormat(".md", ("pages",), _write_file, options=_OPTIONS, has_ranks=True)},
    has_ranks=True,
)
