"""Finds the library compiled from `element_reader.c`, or builds and checks it.

In a checkout, the set-up builds the library into the environment of the running Python, and a crawl only checks that it
is there. An installed program may be in a folder without write access that many users share. So each user has a library
in their own cache, built by their first crawl. The library's name contains a digest of everything that the library
depends on. After any change another library is built next to the old one, which a crawl may still be using.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from hinterland.distribution.installation import IS_CHECKOUT, cache_folder, code_folder, import_path

_HERE: Final = Path(__file__).parent
SOURCE: Final = _HERE / "element_reader.c"
_DEPENDS_ON: Final = (
    *(
        _HERE / name
        for name in ("lexbor_functions.h", "text_blocks.h", "element_reader.py", "text_places.py", "tree_layout.py")
    ),
    _HERE / "reader_check.py",
    *sorted((_HERE.parent / "blocks").glob("*.py")),
    *(_HERE.parent / "html" / name for name in ("page_elements.py", "page_bounds.py", "headings.py")),
)
_OPTIONS: Final = (
    *("-O2", "-std=c11", "-fPIC", "-shared", f"-I{_HERE}"),
    *("-Werror=incompatible-pointer-types", "-Werror=int-conversion", "-Werror=implicit-function-declaration"),
)
_TIMEOUT_SECONDS: Final = 120


def usual_place() -> Path | None:
    """Return the folder of the library; None if the user has no home folder."""
    if IS_CHECKOUT:
        return Path(sys.prefix) / "lib" / "hinterland"
    return cache_folder(os.environ)


PLACE: Final = usual_place()


class ReaderUnusable(Exception):
    """Raised if there is no compiled reader. The message says why."""


def reader_to_use() -> Path:
    """Return the path of the library for a crawl; an installed program builds it if missing. Raises ReaderUnusable."""
    return compiled_reader() if IS_CHECKOUT else build_reader()


def compiled_reader(folder: Path | None = PLACE, source: Path = SOURCE) -> Path:
    """Return the path of the library, if it was built for the current code.

    If not, raise ReaderUnusable, which says how to build it.
    """
    path = _path(folder, source)
    if not _is_whole(path):
        command = f"cd {shlex.quote(str(code_folder()))} && {shlex.quote(sys.executable)} -m {__package__}"
        raise ReaderUnusable(f"the page reader in C was not built for this version; build it by: {command}")
    return path


def build_reader(folder: Path | None = PLACE, source: Path = SOURCE) -> Path:
    """Return the path of the library; build it if it is missing. Raises ReaderUnusable.

    The environment variable CC names the compiler; without it, cc is used.
    """
    path = _path(folder, source)
    if not _is_whole(path):
        _make(path, source)
    return path


def _path(folder: Path | None, source: Path) -> Path:
    if folder is None:
        raise ReaderUnusable(
            "there is no folder for the page reader in C: neither HOME nor XDG_CACHE_HOME is set; set one of them"
        )
    with suppress(OSError):
        if folder.stat().st_uid not in (os.geteuid(), 0):  # its owner could run any code as this user
            raise ReaderUnusable(f"{folder} belongs to another user, so nothing is loaded from it; move it away")
    return folder / f"element_reader-{_digest(source)}.so"


def _is_whole(path: Path) -> bool:
    """Return whether the file is complete; loading a file that a power cut has shortened would crash."""
    try:
        return _checksum_of(path).read_text(encoding="ascii") == hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return False


def _checksum_of(library: Path) -> Path:
    return library.with_suffix(".sha256")


def _digest(source: Path) -> str:
    digest = hashlib.sha256(f"{sys.version} {os.uname().machine}".encode())
    for file in (source, *_DEPENDS_ON):
        digest.update(file.read_bytes())
    for file in _extensions("selectolax"):
        status = file.stat()
        digest.update(f"{file} {status.st_size} {int(status.st_mtime)}".encode())
    return digest.hexdigest()[:16]


def _extensions(name: str) -> list[Path]:
    """Return the compiled parts of a required package, found without importing it."""
    package = find_spec(name)
    assert package is not None
    return sorted(file for place in package.submodule_search_locations or () for file in Path(place).glob("*.so"))


def _make(path: Path, source: Path) -> None:
    try:
        compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    except ValueError as error:
        raise ReaderUnusable(f"CC={os.environ['CC']}: {error}") from None
    if shutil.which(compiler[0]) is None:
        raise ReaderUnusable(f"there is no C compiler {compiler[0]!r}; install one, or set CC to yours")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="element_reader-", dir=path.parent) as folder:
            library = Path(folder) / path.name
            _run("compiling", [*compiler, *_OPTIONS, "-o", str(library), str(source)])
            _run("checking", [sys.executable, "-P", "-m", f"{__package__}.reader_check", str(library)])
            checksum = _checksum_of(library)
            checksum.write_text(hashlib.sha256(library.read_bytes()).hexdigest(), encoding="ascii")
            library.replace(path)
            checksum.replace(_checksum_of(path))
    except OSError as error:
        raise ReaderUnusable(str(error)) from error


def _run(what: str, command: list[str]) -> None:
    """Run a command. Raises ReaderUnusable with its last line of output."""
    try:
        done = subprocess.run(
            command,
            cwd=code_folder(),
            env={**os.environ, "PYTHONPATH": import_path()},
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
        raise ReaderUnusable(f"{what} ended with code {done.returncode}: {said[-1] if said else 'it printed nothing'}")
