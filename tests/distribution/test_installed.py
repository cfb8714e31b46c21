"""The program as a wheel that somebody installs: in a venv that is not theirs to write, beside packages of others."""

from __future__ import annotations

import os
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hinterland.crawler import __version__
from tests.support.installation import Environment, built, done
from tests.support.plug_ins import TITLES

ROOT = Path(__file__).parents[2]
NOBODY = 65534


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that others can enter, which those of pytest are not."""
    with tempfile.TemporaryDirectory(prefix="hinterland-installed-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def files_in(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if not each.is_dir()}


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


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


@pytest.mark.slow
def test_a_wheel_is_used_from_elsewhere_by_another_user_and_removed_without_a_trace_but_stores(place: Path) -> None:
    wheel, of_sdist = built(place)
    assert contents(of_sdist) == contents(wheel)
    held = set(contents(wheel))
    assert {name.partition("/")[0] for name in held} == {"hinterland", f"hinterland-{__version__}.dist-info"}
    others = (".c", ".h", ".css", ".html", ".js")
    packages = [link.resolve() for link in (ROOT / "hinterland").iterdir() if link.is_symlink()]
    beside_code = {file for package in packages for file in package.rglob("*.*") if file.suffix in others}
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
