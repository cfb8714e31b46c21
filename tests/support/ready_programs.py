"""How tests start `ready_program`: one for each Python, in each process of pytest-xdist, when it is first needed."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_HERE: Final = Path(__file__).parent
_ENVIRONMENT: Final = {**os.environ, "PYTHONPATH": str(ROOT)}


def ready(
    script: Path, *, python: Path = Path(sys.executable), environment: Mapping[str, str] = _ENVIRONMENT
) -> list[str]:
    """The beginning of a command that is carried out like `python script`, only sooner.

    environment: of the imports, which are made at the first call with this Python. A command has the environment of its
    caller. The process that is started stands in for the one that carries it out: it passes SIGINT and SIGTERM on, and
    has another number.
    """
    if python not in _listening:
        _listening[python] = _listens(python, environment)
    return [sys.executable, "-IS", str(_HERE / "ready_client.py"), _listening[python], str(script)]


_listening: Final = dict[Path, str]()
"""Where the server of a Python listens."""


def _listens(python: Path, environment: Mapping[str, str]) -> str:
    folder = TemporaryDirectory(prefix="ready-")
    socket = f"{folder.name}/socket"
    server = subprocess.Popen(
        [python, "-P", _HERE / "ready_program.py", socket],
        cwd=folder.name,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"

    def end() -> None:
        server.communicate()
        folder.cleanup()

    atexit.register(end)
    return socket
