"""Graph analysis: pure functions on a `Graph` value, by numpy and compiled loops. It imports nothing of ours."""
