"""Sets up a `.venv` with the pinned packages for `python3 run.py ...` and `python3 -m tests`.

The first command on a new machine creates `.venv` beside run.py, installs the packages of a requirements file after
checking their hashes, builds the C extension, and restarts itself in `.venv`. Every later command finds a copy of the
requirements file in `.venv`, and therefore runs immediately.

Any Python of the machine may run this file, so it uses only the standard library and old syntax. Most modules are
imported late, since a command must not wait for a set-up that is already done.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = (3, 11)
EXIT_SET_UP_FAILED = 69  # EX_UNAVAILABLE of sysexits.h
NO_SETUP = "HINTERLAND_NO_SETUP"
_RESTARTED = "HINTERLAND_RESTARTED"
BUILDER = "hinterland.crawler.parsing.compiled"
"""The module that builds the C extension into the environment whose Python runs it."""

RUN = "requirements.txt"
DEVELOP = "requirements-dev.txt"  # begins with RUN
MARK = "made-by-hinterland"
"""A file that is in each .venv made here. Any other .venv is its user's, and is not touched."""
_COSTS = {RUN: "about a minute, and 150 MB", DEVELOP: "a few minutes, and 1,600 MB"}
"""The time and disk space that it takes to create a .venv with each of these files."""


class SetUpError(Exception):
    """The set-up cannot continue. The message says why and what to do; `output` is what the failed tool printed."""

    def __init__(self, message: str, output: str = "") -> None:
        """Take the message, and the output of the tool that failed."""
        super().__init__(message)
        self.output = output


def ensure_environment(requirements: str = RUN, root: Path = ROOT) -> None:
    """Ensure that this Python has the packages of `requirements`, a file in `root`.

    If it lacks them, create or complete `.venv` and restart the same command there; this call then does not return. Do
    nothing if HINTERLAND_NO_SETUP is set, or if every package is already installed elsewhere at its pinned version. If
    the set-up fails, print why and end the process with EXIT_SET_UP_FAILED.
    """
    restarted = os.environ.pop(_RESTARTED, None) is not None
    try:
        _refuse_unsuitable_python()
        if os.environ.get(NO_SETUP):
            return
        environment = Environment(root / ".venv")
        wanted = root / requirements
        if environment.is_running():
            if environment.is_ready(wanted, made_for=sys.version_info[:2]):
                return
        elif all_installed(text_of(wanted)):
            return
        if restarted:
            raise SetUpError(
                f"{environment.python} does not use its own environment; remove {environment.path} and try again."
            )
        if environment.is_running() or not environment.is_ready(wanted):
            environment.complete(wanted)
    except SetUpError as error:
        if error.output:
            print(error.output.strip(), file=sys.stderr)
        _say(str(error))
        sys.exit(EXIT_SET_UP_FAILED)
    except KeyboardInterrupt:
        _say("set-up interrupted; the next run starts over.")
        sys.exit(130)
    environment.restart()


class Environment:
    """The project's own virtual environment."""

    def __init__(self, path: Path) -> None:
        """Take the path of the environment, which need not exist yet."""
        self.path = path
        self.python = path / "bin" / "python"

    def is_running(self) -> bool:
        """Return whether this process runs in the environment."""
        return os.path.realpath(sys.prefix) == os.path.realpath(self.path)

    def is_ready(self, requirements: Path, made_for: tuple[int, int] | None = None) -> bool:
        """Return whether the environment holds these requirements.

        If `made_for` is given, the environment must also have been created for that version of Python.
        """
        try:
            python, _, installed = self._stamp(requirements).read_text(encoding="utf-8").partition("\n")
        except OSError:
            return False
        if made_for is not None and python != _python_line(made_for):
            return False
        return installed == text_of(requirements) and os.access(self.python, os.X_OK)

    def is_ours(self) -> bool:
        """Return whether this set-up made the environment, even if it was interrupted."""
        return (self.path / MARK).exists() or any(self.path.glob("installed-*.txt"))

    def has_held(self, requirements: Path) -> bool:
        """Return whether any version of this requirements file was ever installed into the environment."""
        return self._stamp(requirements).exists()

    def complete(self, requirements: Path, what: str = "") -> None:
        """Install these requirements; `what` describes them and their size in a message. Raises SetUpError.

        Several processes may call this at the same time: one installs, and the others wait. The installing process
        writes a stamp last. If it is killed, the stamp is missing, so the next call starts over.
        """
        with _locked(requirements.parent / RUN):
            version = sys.version_info[:2]
            if self.is_ready(requirements, version):
                return  # another process did it while this one waited
            has_base = self.is_ready(requirements.parent / RUN, version)
            how_long = "once" if has_base else f"once; {_COSTS.get(requirements.name, _COSTS[RUN])}"
            what = what or f"the packages of {requirements.name}"
            _say(f"installing {what} into {self.path.name} ({how_long}) ...")
            if not has_base:
                self._create()
            self._install(requirements)
            self._build(requirements.parent)
            for satisfied in {requirements, requirements.parent / RUN}:
                self._write_stamp(satisfied, version)

    def restart(self) -> NoReturn:
        """Replace this process by the same command, run in this environment."""
        sys.stdout.flush()
        sys.stderr.flush()
        os.environ[_RESTARTED] = "1"
        os.execv(self.python, [str(self.python), *sys.orig_argv[1:]])

    def _create(self) -> None:
        import importlib.util
        import shutil
        import subprocess

        if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
            package = "python{}.{}-venv".format(*sys.version_info)
            raise SetUpError(
                f"this Python ({sys.executable}) cannot create virtual environments.\n"
                f"On Debian and Ubuntu: sudo apt install {package}\n"
                f"Or install the packages of {RUN} yourself and set {NO_SETUP}=1."
            )
        import venv

        if os.path.lexists(self.path) and not self.is_ours():
            raise SetUpError(
                f"{self.path} exists already, and this set-up did not make it. Rename it, remove it,\n"
                f"or keep it: install the packages of {RUN} into it, and run commands with {self.python}."
            )
        try:
            if self.path.is_symlink() or self.path.is_file():
                self.path.unlink()
            elif self.path.exists():
                shutil.rmtree(self.path)
            self.path.mkdir()
            (self.path / MARK).touch()
            venv.EnvBuilder(symlinks=True, with_pip=True).create(self.path)
        except subprocess.CalledProcessError as error:
            output = (error.output or b"").decode(errors="replace")
            raise SetUpError(f"pip could not be installed into {self.path} (see above).", output) from None
        except OSError as error:
            raise SetUpError(f"{self.path} cannot be created: {error}.") from None

    def _install(self, requirements: Path) -> None:
        import subprocess

        # Modules are compiled when they are imported; compiling all packages now would take half a minute more.
        command = [str(self.python), "-m", "pip", "install", "--quiet", "--no-input", "--no-compile"]
        command += ["--disable-pip-version-check", "--require-hashes", "--requirement", str(requirements)]
        pip = subprocess.run(
            command,
            env={**os.environ, "PIP_USER": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if pip.returncode != 0:
            raise SetUpError(
                f"pip could not install the packages of {requirements.name} (see above).\n"
                "This needs the network once: connect and run the same command again. If your packages come\n"
                "from a mirror or a folder, pip's own settings name it. Or install the packages yourself\n"
                f"and set {NO_SETUP}=1.",
                output=pip.stdout,
            )

    def _build(self, root: Path) -> None:
        """Build the C extension. If this fails, print a message; Python code then does the same work, more slowly."""
        import subprocess

        builder = subprocess.run(
            [str(self.python), "-m", BUILDER],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        if builder.returncode != 0:
            reason = (builder.stderr.strip().splitlines() or ["it said nothing"])[-1]
            _say(f"the C extension could not be built, so pages are parsed in Python, which is slower: {reason}")

    def _stamp(self, requirements: Path) -> Path:
        return self.path / f"installed-{requirements.name}"

    def _write_stamp(self, requirements: Path, version: tuple[int, int]) -> None:
        stamp = self._stamp(requirements)
        unfinished = stamp.with_suffix(".unfinished")
        text = _python_line(version) + "\n" + text_of(requirements)
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(stamp)


def text_of(requirements: Path) -> str:
    """Return the text of a requirements file.

    If its first line refers to another file, the line is replaced by the text of that file.
    """
    text = requirements.read_text(encoding="utf-8")
    first, _, others = text.partition("\n")
    if first.startswith("-r "):
        return (requirements.parent / first[len("-r ") :].strip()).read_text(encoding="utf-8") + others
    return text


def all_installed(requirements: str) -> bool:
    """Return whether this Python finds every package pinned in the text of a requirements file.

    A package with a condition may be missing, since the condition need not be true here.
    """
    from importlib.metadata import PackageNotFoundError, version

    pins: dict[str, set[str]] = {}
    conditional = set()
    for name, pinned, condition in _pins(requirements):
        pins.setdefault(name, set()).add(pinned)
        if condition:
            conditional.add(name)
    for name, versions in pins.items():
        try:
            if version(name) not in versions:
                return False
        except PackageNotFoundError:
            if name not in conditional:
                return False
    return True


def _pins(requirements: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, version and condition of every "name==version ; condition" line."""
    for line in requirements.splitlines():
        pin, _, condition = line.rstrip(" \\").partition(";")
        name, is_pin, version = pin.partition("==")
        if is_pin and not line.startswith((" ", "#")):
            yield name.strip(), version.strip(), condition.strip()


def _refuse_unsuitable_python() -> None:
    if sys.platform == "win32":
        raise SetUpError(
            "Hinterland needs Linux or macOS: its event loop, uvloop, does not exist for Windows.\n"
            "It runs in the Windows Subsystem for Linux."
        )
    if sys.version_info < OLDEST_PYTHON:
        import platform

        raise SetUpError(
            f"Hinterland needs Python 3.11 or newer; {sys.executable} is {platform.python_version()}.\n"
            + _advice_on_newer_python()
        )


def _advice_on_newer_python() -> str:
    import shutil

    for minor in range(20, OLDEST_PYTHON[1] - 1, -1):
        if shutil.which(f"python3.{minor}"):
            return f'This machine has python3.{minor}: use it instead of "python3".'
    return "Install a newer one and start the same command with it."


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock on the file while the block runs; other processes that want the same lock wait."""
    import fcntl

    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("another process is installing the packages; waiting for it ...")
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:
            pass  # a file system without locks: two first runs at once are then the user's own risk
        yield


def _python_line(version: tuple[int, int]) -> str:
    return "# python {}.{}".format(*version)


def _say(text: str) -> None:
    print(f"hinterland: {text}", file=sys.stderr, flush=True)
