"""What a paper's module has, and what they all need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Protocol

ROOT: Final = Path(__file__).resolve().parents[2]
DOCUMENT: Final = ROOT / "docs/papers.md"
GRAPHS: Final = ROOT.parent / "shared/data/webgraphs"


class Paper(Protocol):
    """A module of this package.

    TITLE: the heading of its section. GRAPHS: those of ../shared/data/webgraphs that it measures by itself.
    """

    TITLE: str
    GRAPHS: Sequence[str]

    def section(self, sources: Sequence[Path]) -> Iterable[str]:
        """Yield the section below its heading, as Markdown blocks that become paragraphs.

        They are texts and what `table` returns.
        """


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Markdown; the columns after the first are numbers and stand on the right."""
    lines = [_row(head), _row(["---", *("---:" for _ in head[1:])])]
    return "\n".join([*lines, *(_row(row) for row in rows)])


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def with_section(document: str, name: str, title: str, text: str) -> str:
    """Return the document with this section in place of the previous one, or at its end."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    section = f"{begin}\n## {title}\n\n{text}\n{end}"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if pattern.search(document):
        return pattern.sub(lambda _: section, document)
    return f"{document.rstrip()}\n\n{section}\n"
