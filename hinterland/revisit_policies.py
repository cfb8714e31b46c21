"""What revisit policies are made of; `hinterland.revisit_policies` is also the group of the entry points that offer
some.

A revisit policy is what is called with nothing and returns a `RevisitPolicy`: it says how long pages wait from one look
to the next at a price that is the same for all, and the schedule finds the price that spends the budget.
"""

from hinterland.crawler.features.recrawl.policy import FloatArray, RevisitPolicy

__all__ = ["FloatArray", "RevisitPolicy"]
