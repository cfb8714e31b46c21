"""What revisit policies are built on, and the entry-point group of plug-in revisit policies.

A revisit policy is a callable without arguments that returns a `RevisitPolicy`. Given a price per visit, which is the
same for all pages, the policy says how long each page waits between visits. The schedule looks for the price at which
the visits use up the budget.
"""

from hinterland.crawler.features.recrawl.policy import FloatArray, RevisitPolicy

__all__ = ["FloatArray", "RevisitPolicy"]
