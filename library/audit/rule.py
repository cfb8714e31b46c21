"""The interface of a rule of the audit: what it looks for, why it matters, and how to mend the faults. Pure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from hinterland.library.audit.faults import Faults
from hinterland.library.audit.kinds import Group, Loss, Need, Severity

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class Rule(ABC):
    """Base class of rules; subclasses set the class variables and define `faults`.

    A rule must find only faults that remain faults when the crawl continues. If its faults may disappear once more
    pages are read, it sets `needs_whole_crawl`; it is then applied only to complete crawls.
    """

    name: ClassVar[str]
    """A short name in lower case with hyphens, such as "broken-link"; thresholds and files use it."""
    title: ClassVar[str]
    """What is counted, in the plural: "Links to pages that do not exist"."""
    group: ClassVar[Group]
    severity: ClassVar[Severity]
    why: ClassVar[str]
    """What harm the fault does, in a sentence."""
    mend: ClassVar[str]
    """How to mend the fault, in a sentence."""
    needs: ClassVar[tuple[Need, ...]] = ()
    needs_whole_crawl: ClassVar[bool] = False
    loss: ClassVar[Loss] = Loss.PAGES

    @abstractmethod
    def faults(self, store: AuditedStore) -> Faults:
        """Return the faults of the local pages of a store."""

    def caveat(self, store: AuditedStore) -> str:
        """Return a sentence that says what limits the finding in this store; "" if nothing does."""
        return ""
