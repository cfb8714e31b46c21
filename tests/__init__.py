"""The tests of Hinterland: `python3 -m tests`."""

import os
import sys
from pathlib import Path


def keep_bytecode() -> None:
    """Let every module be compiled once for all tests, whatever the caller's environment says.

    Tests start some hundred processes, each of which would otherwise compile all that it imports, packages included.
    What is compiled goes into .venv, not into the tree.
    """
    sys.dont_write_bytecode = False  # which multiprocessing would pass on to its processes, too
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(Path(sys.prefix) / "pycache")


if sys.prefix != sys.base_prefix:
    keep_bytecode()  # before pytest and all that conftest.py imports, which takes some seconds to compile
