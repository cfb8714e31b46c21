"""Graph algorithms: PageRank and its estimates, orders and experiments. Pure; uses numpy and compiled loops.

It imports nothing of ours.
"""
