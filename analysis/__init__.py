"""Graph algorithms: PageRank, estimates of the global PageRank, and what experiments need.

All functions are pure and work on numpy arrays. Loops are compiled. This folder imports no other folder of this project
except `distribution`.
"""
