"""A web of hosts that each misbehave in one way, for `python -m benchmarks.hostile_web`."""
