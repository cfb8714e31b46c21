"""Pages with images that have no text for people who cannot see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Need, Severity
from hinterland.library.audit.rule import Rule
from hinterland.library.text.wording import counted, shortened

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class ImageAlt(Rule):
    """Finds pages with images that have no alt attribute."""

    name = "image-alt"
    title = "Pages with images without an alt text"
    group = Group.ASSETS
    severity = Severity.WARNING
    why = "Screen readers then read out the file name, and search engines do not know what is shown (WCAG 1.1.1)."
    mend = 'Say in alt what the image shows, or write alt="" if it only decorates.'
    needs = (Need.FACTS,)

    def faults(self, store: AuditedStore) -> Faults:
        """Return the pages with images that have no alt attribute, each with their number."""
        found = [(page, fields) for page, fields in store.page_facts.items() if fields.get("images_without_alt")]
        return Faults.of([page for page, _ in found], [_note(fields) for _, fields in found])


def _note(fields: Mapping[str, Any]) -> str:
    bare, example = fields["images_without_alt"], fields.get("image_without_alt", "")
    return f"{bare} of {counted(fields['images'], 'image')}" + (
        f", such as {shortened(example, 100)}" if example else ""
    )
