"""What revisit policies are built on, and the entry-point group of plug-in revisit policies.

A revisit policy is a callable without arguments that returns a `RevisitPolicy`. That says how long pages wait between
visits at a price which is the same for all; the schedule finds the price that spends the budget.
"""

from hinterland.crawler.features.recrawl.policy import FloatArray, RevisitPolicy

__all__ = ["FloatArray", "RevisitPolicy"]
