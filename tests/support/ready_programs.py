"""How tests start `ready_program`: one for each Python, when first needed, for all processes that run tests."""

from __future__ import annotations

import atexit
import fcntl
import os
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.forked_workers import common

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
    """Where a server listens that is started if there is none: for this process, or for all that run tests."""
    if (others := common()) is None:
        folder = TemporaryDirectory(prefix="ready-")
        server = _started(Path(folder.name), python, environment, subprocess.PIPE)

        def end() -> None:
            server.communicate()
            folder.cleanup()

        atexit.register(end)
        return f"{folder.name}/{_SOCKET}"
    place = others.folder / f"ready-{sha256(bytes(python)).hexdigest()[:8]}"
    place.mkdir(exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / _SOCKET).exists():
            _outlive_this_process.append(_started(place, python, environment, others.until))
    return f"{place}/{_SOCKET}"


_SOCKET: Final = "socket"
_outlive_this_process: Final = list[subprocess.Popen[str]]()


def _started(folder: Path, python: Path, environment: Mapping[str, str], stdin: int) -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [python, "-P", _HERE / "ready_program.py", folder / _SOCKET],
        cwd=folder,
        env=environment,
        stdin=stdin,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"
    return server
