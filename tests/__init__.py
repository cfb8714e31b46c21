"""The tests of Hinterland: `python3 -m tests`."""
