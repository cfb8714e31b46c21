"""Leaves out the tests that need Ray where it is not installed: it is an option, see requirements-cluster.txt."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("ray") is not None else ["test_ray_launcher.py"]
