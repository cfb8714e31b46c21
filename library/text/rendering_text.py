"""Which pages need a browser, and whether they were read with one, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hinterland.library.text.failure_lines import with_reason
from hinterland.library.text.wording import number, printable, table
from hinterland.storage.values.pages import RenderingReport

_MEANINGS = {
    "shell": "empty until their scripts have run; crawl with --render auto to read them",
    "rendered": "read as a browser shows them",
    "unrendered": "read as they were sent, because the browser failed",
}


def rendering_lines(renderings: Sequence[RenderingReport]) -> Iterator[str]:
    """Yield a blank line, a title, and a table of pages that need a browser; nothing if no page needs one."""
    if not renderings:
        return
    yield ""
    yield "Pages that need a browser, with one example each"
    rows = [(each.rendering, number(each.pages), _MEANINGS.get(each.rendering, "")) for each in renderings]
    lines = table(rows, right=(1,))
    for line, each in zip(lines, renderings, strict=True):
        yield line
        yield from with_reason(f"    {printable(each.example)}", each.detail)
