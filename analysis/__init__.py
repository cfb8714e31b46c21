"""Graph analysis: pure functions on a `Graph` value, numpy only. It imports nothing of ours."""
