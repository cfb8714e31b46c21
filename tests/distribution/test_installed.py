"""The program as a wheel that somebody installs: in a venv that is not theirs to write, beside packages of others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from crawler import __version__
from tests.support.plug_ins import TITLES

ROOT = Path(__file__).parents[2]
NOBODY = 65534
SECONDS = 120
PACKAGES: Final = os.pathsep.join(sys.path)
OLDEST_SETUPTOOLS = (77,)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that others can enter, which those of pytest are not."""
    with tempfile.TemporaryDirectory(prefix="hinterland-installed-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def done(command: Sequence[object], cwd: Path, user: int | None = None, **environment: str) -> str:
    """What a command that succeeds says. Nothing of the tests' own environment is there."""
    clean = {"PATH": os.environ["PATH"], **environment}
    words = list(map(str, command))
    finished = subprocess.run(
        words, cwd=cwd, env=clean, user=user, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert finished.returncode == 0, f"{words}: {finished.stdout}{finished.stderr}"
    return finished.stdout


def files_in(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if not each.is_dir()}


BUILD: Final = "import sys, setuptools.build_meta as build; getattr(build, 'build_' + sys.argv[1])(sys.argv[2])"


def built(place: Path) -> tuple[Path, Path]:
    """The wheels of a copy of the checkout, of what a build of the image sees of it, and of its sdist."""
    if tuple(map(int, version("setuptools").split(".")[:1])) < OLDEST_SETUPTOOLS:
        pytest.skip("the setuptools in .venv is older than pyproject.toml asks for: `python3 -m tests` brings it")
    source = place / "source"
    source.mkdir()
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        name = line.removeprefix("!")
        if name.endswith("/"):
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif name != line:
            shutil.copy(ROOT / name, source)
    done([sys.executable, "-c", BUILD, "sdist", place], source, PYTHONPATH=PACKAGES)
    [sdist] = place.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(place, filter="data")
    unpacked = place / sdist.name.removesuffix(".tar.gz")
    for folder in (source, unpacked):
        done([sys.executable, "-c", BUILD, "wheel", folder], folder, PYTHONPATH=PACKAGES)
    [of_checkout], [of_sdist] = source.glob("*.whl"), unpacked.glob("*.whl")
    return of_checkout, of_sdist


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


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
        for name in ("crawler", "storage", "analysis"):
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


def another_user(program: Path) -> int | None:
    """Whose program it is not, if this user may become another and the other can run it: not if Python lies in the home
    of this one."""
    if os.geteuid():
        return None
    try:
        look = subprocess.run([program, "--version"], user=NOBODY, capture_output=True, check=False)
    except PermissionError:
        return None
    return None if look.returncode else NOBODY


def test_a_wheel_is_used_from_elsewhere_by_another_user_and_removed_without_a_trace_but_stores(place: Path) -> None:
    wheel, of_sdist = built(place)
    assert contents(of_sdist) == contents(wheel)
    held = set(contents(wheel))
    assert {name.partition("/")[0] for name in held} == {"hinterland", f"hinterland-{__version__}.dist-info"}
    others = (".c", ".h", ".css", ".html", ".js")
    beside_code = {file for file in (ROOT / "crawler").rglob("*.*") if file.suffix in others}
    assert len(beside_code) > 20
    assert {f"hinterland/{file.relative_to(ROOT)}" for file in beside_code} <= held

    environment = Environment.made(place)
    before = files_in(environment.path)
    environment.pip("install", "--no-deps", "--no-index", wheel)
    home, work = place / "home", place / "work"
    user = another_user(environment.path / "bin" / "hinterland")
    for folder in (home, work):
        folder.mkdir()
        os.chown(folder, -1 if user is None else user, -1)
    environment.packages.chmod(0o555)  # which does not stop root
    installed = files_in(environment.path)

    def hinterland(*arguments: str) -> str:
        return done([environment.path / "bin" / "hinterland", *arguments], work, user, HOME=str(home))

    assert hinterland("--version") == f"Hinterland {__version__}\n"
    assert "hinterland crawl --resume" in hinterland("crawl", "--help")
    said = hinterland("demo")
    assert "319 pages fetched from 12 hosts" in said
    assert "\n  hinterland status demo.db\n" in said
    assert "run.py" not in said
    (work / "titles.py").write_text(TITLES, encoding="utf-8")
    assert hinterland("export", "demo.db", "--plugin", "titles.py", "--format", "titles", "--output", "-")

    assert files_in(environment.path) == installed
    environment.packages.chmod(0o755)
    environment.pip("uninstall", "--yes", "hinterland")
    assert files_in(environment.path) == before
    assert {Path(name).parts[:2] for name in files_in(home)} <= {(".cache", "hinterland")}
    assert {name for name in files_in(work) if not name.startswith("demo.db")} == {"titles.py"}
