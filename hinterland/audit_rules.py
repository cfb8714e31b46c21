"""The base of audit rules in plug-ins; `hinterland.audit_rules` is also their entry-point group.

A rule is a subclass of `Rule` that can be created without arguments.
"""

from hinterland.library.audit.audited_store import AuditedStore
from hinterland.library.audit.faults import Causes, Faults, grouped_causes
from hinterland.library.audit.kinds import Group, Loss, Need, Severity
from hinterland.library.audit.rule import Rule

__all__ = ["AuditedStore", "Causes", "Faults", "Group", "Loss", "Need", "Rule", "Severity", "grouped_causes"]
