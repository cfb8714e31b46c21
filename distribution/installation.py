"""How this program was installed. This decides how it is called and where its files are.

In a checkout it is started by run.py, and all its files stay within that folder. The folder of an installation may
belong to another user and may not be writable.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from hinterland.distribution.environment import NO_SETUP

_HOME: Final = Path(__file__).resolve().parents[1]
IS_CHECKOUT: Final = (_HOME / "run.py").is_file()
PROGRAM: Final = "python3 run.py" if IS_CHECKOUT else "hinterland"
"""The command that the user types to run the program, for use in messages."""

_CALLED: Final = "python3 run.py"
NAME: Final = "hinterland"


def compute_on_one_thread() -> None:
    """Make numpy's linear algebra use one thread. Call this before importing numpy, and not in libraries.

    By default, numpy starts one thread per processor, and these threads use the processors even while they wait. With
    one thread, importing takes a third less CPU, and training a topic takes half as much. A value set by the user takes
    precedence.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def as_called(text: str) -> str:
    """Return a text with `python3 run.py` replaced by the command that runs this installation."""
    return text.replace(_CALLED, PROGRAM)


def is_own_environment() -> bool:
    """Return whether this Python runs in the .venv of a checkout, to which commands may add packages."""
    is_checkouts = IS_CHECKOUT and os.path.realpath(sys.prefix) == os.path.realpath(_HOME / ".venv")
    return is_checkouts and not os.environ.get(NO_SETUP)


def how_to_add(extra: str, packages: Sequence[str]) -> str:
    """Return the command that installs an extra; `extra` is its name in pyproject.toml."""
    if is_own_environment():
        return f"{PROGRAM} setup {extra}"
    python = shlex.quote(sys.executable)
    if IS_CHECKOUT:
        return f"{python} -m pip install -r {shlex.quote(str(_HOME / f'requirements-{extra}.txt'))}"
    wanted = " ".join(shlex.quote(bounded) for bounded in _bounded(packages))
    if Path(sys.prefix, "pipx_metadata.json").exists():
        return f"pipx inject {NAME} {wanted}"
    if Path(sys.prefix, "uv-receipt.toml").exists():
        return f"uv pip install --python {python} {wanted}"
    return f"{python} -m pip install {wanted}"


def how_to_install_known(package: str) -> str:
    """Return the command that installs a version of a package that this program supports."""
    if is_own_environment():
        return f"rm -r {shlex.quote(str(_HOME / '.venv'))}"
    pinned = f"--constraint {shlex.quote(str(_HOME / 'requirements-all.txt'))} " if IS_CHECKOUT else ""
    [wanted] = _bounded([package])
    return f"{shlex.quote(sys.executable)} -m pip install {pinned}{shlex.quote(wanted)}"


def _bounded(packages: Sequence[str]) -> Iterator[str]:
    """Yield the packages as pip takes them, each with the versions that this program requires, if known."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        asked = requires(NAME) or []
    except PackageNotFoundError:
        asked = []
    for package in packages:
        bounds = [each.partition(";")[0].strip() for each in asked if re.match(rf"{re.escape(package)}[<>=!~ ;]", each)]
        yield bounds[0] if bounds else package


def own_entry_points(group: str) -> Mapping[str, str]:
    """Return this program's own plug-ins of a group as a map from name to "module:object", as in pyproject.toml.

    importlib.metadata is not used here, since its import would delay every command.
    """
    return _own_entry_points().get(group, {})


@cache
def _own_entry_points() -> Mapping[str, Mapping[str, str]]:
    if IS_CHECKOUT:
        import tomllib

        project = tomllib.loads((_HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        found: dict[str, dict[str, str]] = project["entry-points"]
        return found
    files = sorted(code_folder().glob(f"{NAME}-*.dist-info/entry_points.txt"))
    return _entry_points_in(files[0].read_text(encoding="utf-8")) if files else {}


def _entry_points_in(text: str) -> dict[str, dict[str, str]]:
    """Return the content of an entry_points.txt, by group."""
    groups: dict[str, dict[str, str]] = {}
    group: dict[str, str] = {}
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = groups.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            name, _, value = line.partition("=")
            group[name.strip()] = value.strip()
    return groups


def may_be_offered(group: str) -> bool:
    """Return whether any package on sys.path may have entry points of this group."""
    marks = f"[{group}]".encode()
    for entry in map(Path, sys.path):
        if entry.is_file():
            return True  # an archive, which is not searched here
        try:
            if marks in _offers_in(entry.absolute(), entry.stat().st_mtime_ns):
                return True
        except OSError:
            continue  # importlib.metadata skips unreadable folders, too
    return False


@lru_cache(maxsize=64)
def _offers_in(folder: Path, changed: int) -> bytes:
    """Return the content of the entry_points.txt of all other packages in a folder.

    `changed` is when a package was last added to or removed from the folder; it is part of the cache key. The result is
    cached because reading the files of two hundred packages takes 20 ms, and is needed for each kind of plug-in.
    """
    offers = [*folder.glob("*.dist-info/entry_points.txt"), *folder.glob("*.egg-info/entry_points.txt")]
    return b"\n".join(each.read_bytes() for each in offers if not each.parent.name.startswith(f"{NAME}-"))


def code_folder() -> Path:
    """Return the folder that must be on sys.path for a process to find this code."""
    return _HOME if IS_CHECKOUT else _HOME.parent


def import_path() -> str:
    """Return a PYTHONPATH with which a child process finds all modules that this process finds."""
    return os.pathsep.join([str(code_folder()), *filter(None, sys.path)])


def settings_file(environ: Mapping[str, str], platform: str = sys.platform) -> Path | None:
    """Return the path of the user's own settings file, even if it does not exist; None if the path is unknown.

    It is in $XDG_CONFIG_HOME, by default ~/.config (XDG Base Directory Specification), and on macOS in
    ~/Library/Application Support.
    """
    usual = "Library/Application Support" if platform == "darwin" else ".config"
    folder = _below(environ, "XDG_CONFIG_HOME", usual)
    return None if folder is None else folder / "settings.toml"


def cache_folder(environ: Mapping[str, str], platform: str = sys.platform) -> Path | None:
    """Return the path of the user's folder for data that can be recreated; None if the path is unknown.

    It is in $XDG_CACHE_HOME, by default ~/.cache, and on macOS in ~/Library/Caches.
    """
    return _below(environ, "XDG_CACHE_HOME", "Library/Caches" if platform == "darwin" else ".cache")


def _below(environ: Mapping[str, str], variable: str, usual: str) -> Path | None:
    given, home = Path(environ.get(variable, "")), environ.get("HOME", "")
    if given.is_absolute():  # the specification says to ignore relative paths
        return given / NAME
    return Path(home, usual, NAME) if Path(home).is_absolute() else None
