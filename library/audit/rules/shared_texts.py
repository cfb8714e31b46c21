"""Pages of a host that have a text in common, such as their title. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hinterland.library.audit.faults import Faults
from hinterland.library.text.wording import shortened

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore

_LONGEST: Final = 120


def shared_text_faults(store: AuditedStore, texts: Sequence[str]) -> Faults:
    """Return the indexable documents that share their text with another document of the same host.

    `texts` holds one text for each of the m documents, such as its title. White space is ignored.
    """
    groups = defaultdict[tuple[int, str], list[int]](list)
    hosts = store.pages.hosts[store.documents.pages]
    indexable = store.is_indexable[store.documents.pages]
    for place, text in enumerate(texts):
        if indexable[place] and (words := " ".join(text.split())):
            groups[int(hosts[place]), words].append(place)
    found = [(place, text) for (_, text), places in groups.items() if len(places) > 1 for place in places]
    pages = store.documents.pages
    return Faults.of(
        [int(pages[place]) for place, _ in found],
        [f"{len(groups[int(hosts[place]), text])} pages: {shortened(text, _LONGEST)}" for place, text in found],
    )
