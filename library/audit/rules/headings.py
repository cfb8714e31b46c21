"""Pages whose headings are at fault. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hinterland.crawler.parsing.html.headings import Heading
from hinterland.library.audit.faults import Faults

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

Headings = Sequence[Heading]


def heading_faults(store: AuditedStore, wrong: Callable[[Headings], str]) -> Faults:
    """Return the documents with faulty headings.

    `wrong` receives the headings of a page, and returns what is wrong with them, or "".
    """
    found = [(page, note) for page, headings in store.headings() if (note := wrong(headings))]
    return Faults.of([page for page, _ in found], [note for _, note in found])


def first_level(headings: Headings) -> list[str]:
    """Return the texts of the headings of the first level."""
    return [heading.text for heading in headings if heading.level == 1]
