"""The program as a wheel, built and installed by the tests."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 120
PACKAGES: Final = os.pathsep.join(sys.path)
OLDEST_SETUPTOOLS: Final = (77,)


def done(command: Sequence[object], cwd: Path, user: int | None = None, **environment: str) -> str:
    """What a command that succeeds says. Nothing of the tests' own environment is there."""
    clean = {"PATH": os.environ["PATH"], **environment}
    words = list(map(str, command))
    finished = subprocess.run(
        words, cwd=cwd, env=clean, user=user, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert finished.returncode == 0, f"{words}: {finished.stdout}{finished.stderr}"
    return finished.stdout


_BUILD: Final = "import sys, setuptools.build_meta as build; getattr(build, 'build_' + sys.argv[1])(sys.argv[2])"


def copied(place: Path) -> Path:
    """A folder in `place` with what a build of the image sees of the checkout."""
    if tuple(map(int, version("setuptools").split(".")[:1])) < OLDEST_SETUPTOOLS:
        pytest.skip("the setuptools in .venv is older than pyproject.toml asks for: `python3 -m tests` brings it")
    source = place / "source"
    source.mkdir()
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        name = line.removeprefix("!")
        if name.endswith("/"):
            shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        elif name != line:
            for file in ROOT.glob(name):
                shutil.copy(file, source)
    return source


def wheel_of(folder: Path) -> Path:
    done([sys.executable, "-c", _BUILD, "wheel", folder], folder, PYTHONPATH=PACKAGES)
    [wheel] = folder.glob("*.whl")
    return wheel


def built(place: Path) -> tuple[Path, Path]:
    """The wheels of a copy of the checkout, and of its sdist."""
    source = copied(place)
    done([sys.executable, "-c", _BUILD, "sdist", place], source, PYTHONPATH=PACKAGES)
    [sdist] = place.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)  # 3.11.4 has it
        archive.extractall(place)
    unpacked = place / sdist.name.removesuffix(".tar.gz")
    return wheel_of(source), wheel_of(unpacked)


@dataclass(frozen=True, slots=True)
class Environment:
    """A venv in which the packages that Hinterland needs are those of the tests, and others' are in the way."""

    path: Path

    @classmethod
    def made(cls, place: Path) -> Environment:
        path = place / "venv"
        venv.create(path, symlinks=True)
        made = cls(path)
        decoys = place / "others"
        for name in ("analysis", "cli", "crawler", "library", "search", "storage", "web"):
            (decoys / name).mkdir(parents=True)
            (decoys / name / "__init__.py").write_text("raise ImportError('this is not what was meant')\n")
        needed = [each for each in sys.path if "site-packages" in each]
        (made.packages / "needed.pth").write_text("\n".join([str(decoys), *needed]) + "\n", encoding="utf-8")
        return made

    @property
    def packages(self) -> Path:
        [found] = self.path.glob("lib/python*/site-packages")
        return found

    def pip(self, *arguments: object) -> None:
        pip = [sys.executable, "-m", "pip", "--python", self.path / "bin" / "python"]
        options = ("--quiet", "--disable-pip-version-check")
        done([*pip, arguments[0], *options, *arguments[1:]], self.path, PYTHONPATH=PACKAGES)

    def share_compiled_code(self, cache: Path) -> None:
        """Let the installed program and the checkout compile a loop once for both. `cache` is the program's
        XDG_CACHE_HOME.

        numba names a folder after the path of the source, and checks by a hash of the source whether what it holds
        still fits, so a link from one to the other is all that is needed.
        """
        kept = cache / "hinterland" / "numba"
        kept.mkdir(parents=True)
        for room in (ROOT / "hinterland").iterdir():
            for source in {file.parent for file in room.resolve().rglob("*.py") if _COMPILES in file.read_bytes()}:
                installed = self.packages / "hinterland" / source.relative_to(ROOT)
                name = f"{source.name}_{hashlib.sha1(str(installed).encode()).hexdigest()}"
                ours = source / "__pycache__"
                ours.mkdir(exist_ok=True)
                (kept / name).symlink_to(ours)


_COMPILES: Final = b"\n@compiled\n"
