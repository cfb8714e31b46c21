"""Graph algorithms: PageRank, estimates of it, and what experiments need. Pure functions on numpy arrays.

Loops are compiled. This folder imports nothing else of this project but `distribution`.
"""
