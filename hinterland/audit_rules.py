"""What rules of the audit are built on; `hinterland.audit_rules` is also the entry-point group of plug-in rules.

A rule is a subclass of `Rule` that can be created without arguments.
"""

from hinterland.library.audit.audited_store import AuditedStore
from hinterland.library.audit.faults import Causes, Faults, grouped_causes
from hinterland.library.audit.kinds import Group, Loss, Need, Severity
from hinterland.library.audit.rule import Rule

__all__ = ["AuditedStore", "Causes", "Faults", "Group", "Loss", "Need", "Rule", "Severity", "grouped_causes"]
