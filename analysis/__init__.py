"""What graphs say: PageRank and its estimates, orders, experiments. Pure, by numpy and compiled loops; imports nothing
of ours.
"""
