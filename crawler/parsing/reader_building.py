"""Compiles `element_reader.c` where there is a C compiler, once, and has it checked before anything uses it.

The library lies beside the byte code of this package. Its name holds a digest of all it depends on: whatever changes,
another is made beside it, since a crawl may still use the first.
"""

from __future__ import annotations

import hashlib
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
SOURCE: Final = _HERE / "element_reader.c"
_DEPENDS_ON: Final = (_HERE / "element_reader.py", _HERE / "page_elements.py", _HERE / "reader_check.py")
_OPTIONS: Final = ("-O2", "-std=c11", "-fPIC", "-shared")
_TIMEOUT_SECONDS: Final = 120


class ReaderUnusable(Exception):
    """Why there is no compiled reader here, in words."""


def compiled_reader(folder: Path = _HERE / "__pycache__", source: Path = SOURCE) -> Path:
    """The library, made now if it has to be; raises ReaderUnusable.

    The compiler is that of the environment variable CC, or cc.
    """
    path = folder / f"element_reader-{_digest(source)}.so"
    if not path.exists():
        _make(path, source)
    return path


def _digest(source: Path) -> str:
    digest = hashlib.sha256(f"{sys.version} {os.uname().machine}".encode())
    for file in (source, *_DEPENDS_ON):
        digest.update(file.read_bytes())
    for file in _lexbor():
        status = file.stat()
        digest.update(f"{file} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


def _lexbor() -> list[Path]:
    """The extension modules of selectolax, found without importing them."""
    package = find_spec("selectolax")
    assert package is not None, "a required package"
    return sorted(file for place in package.submodule_search_locations or () for file in Path(place).glob("lexbor*.so"))


def _make(path: Path, source: Path) -> None:
    import shlex
    import shutil

    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(compiler[0]) is None:
        raise ReaderUnusable(f"there is no C compiler {compiler[0]!r}")
    unchecked = path.with_suffix(f".{os.getpid()}.so")
    try:
        path.parent.mkdir(exist_ok=True)
        try:
            _run("compiling", [*compiler, *_OPTIONS, "-o", str(unchecked), str(source)])
            _run("checking", [sys.executable, "-m", "crawler.parsing.reader_check", str(unchecked)])
            unchecked.replace(path)
        finally:
            unchecked.unlink(missing_ok=True)
    except OSError as error:
        raise ReaderUnusable(str(error)) from error


def _run(what: str, command: list[str]) -> None:
    """Raises ReaderUnusable with what the command said."""
    import subprocess

    try:
        done = subprocess.run(
            command,
            cwd=_HERE.parent.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ReaderUnusable(f"{what} took more than {_TIMEOUT_SECONDS} s") from None
    if done.returncode:
        said = done.stdout.strip().splitlines()
        raise ReaderUnusable(f"{what} ended with code {done.returncode}: {said[-1] if said else 'it said nothing'}")
