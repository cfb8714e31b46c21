"""Learns how far an estimate is from the truth, from crawls of stored graphs; `python -m benchmarks.calibration`."""
