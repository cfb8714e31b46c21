"""The base of revisit policies in plug-ins; `hinterland.revisit_policies` is also their entry-point group.

A revisit policy is a callable without arguments that returns a `RevisitPolicy`. The policy says how long each page
waits between visits, given a price per visit that is the same for all pages. The schedule then finds the price at which
all visits together use up the budget.
"""

from hinterland.crawler.features.recrawl.policy import FloatArray, RevisitPolicy

__all__ = ["FloatArray", "RevisitPolicy"]
