"""What `index` prints at its end. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from crawler.apps.search.documents import MOST_CHARACTERS
from crawler.apps.search.index_report import IndexReport
from crawler.apps.text.next_commands import RUN
from crawler.apps.text.wording import counted, duration, number, size

_REASONS = {
    "noindex": "pages left out because they ask for it (noindex)",
    "same content": "pages folded into one of the same content",
    "near-duplicate": "pages folded into one of the same title and nearly the same content",
    "canonical": "pages folded into the one they name as canonical",
    "canonical not believed": "pages whose canonical page is another page, kept for themselves",
    "redirect": "redirects folded into the page they lead to",
    "anchor of many pages": "anchor texts left out because they lead to many pages",
}
_EXTRACTIONS = {
    "failed": "pages searched by all their text, because their main content could not be found in time",
    "all": "pages of which all visible text is taken for content",
}


def as_text(report: IndexReport, store: str, index: str, *, is_elsewhere: bool) -> str:
    """The summary. is_elsewhere: the index is not where `search` looks by itself."""
    return "\n".join(_lines(report, store, index, is_elsewhere))


def _lines(report: IndexReport, store: str, index: str, is_elsewhere: bool) -> Iterator[str]:
    yield f"{index}: {counted(report.documents, 'document')}, {size(report.size_bytes)}, {duration(report.seconds)}"
    yield (
        f"  {number(report.written)} written, {number(report.unchanged)} unchanged, {number(report.removed)} removed"
    )
    for names, counts in ((_REASONS, report.folded), (_EXTRACTIONS, report.extractions)):
        for name, words in names.items():
            if counts.get(name):
                yield f"  {words}: {number(counts[name])}"
    if report.cut:
        beginning = f"first {number(MOST_CHARACTERS)} characters"
        yield f"  titles or descriptions indexed by their {beginning}: {number(report.cut)}"
    if report.languages:
        yield "  languages: " + ", ".join(
            f"{language or 'unknown'} {number(count)}" for language, count in report.languages.items()
        )
    if report.unstemmed:
        yield f"  words of {', '.join(report.unstemmed)} are searched as they are written: their documents are few"
    if report.estimator:
        yield f"  ranked by the estimate {report.estimator}"
    else:
        yield "  not ranked: no page of the local domain was fetched"
    if not report.extractions.get("main") and report.documents:
        yield "  without bodies: names of code are found by headings and links, not by where they are defined"
    where = f" --index {shlex.quote(index)}" if is_elsewhere else ""
    yield ""
    yield f"Next   {RUN} search {shlex.quote(store)} WORDS{where}"
