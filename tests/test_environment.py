"""The set-up, on small projects of its own: no package is downloaded."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from hinterland.distribution import environment
from hinterland.distribution.environment import BUILDER, Environment, all_installed, text_of
from hinterland.distribution.extras import EXTRAS, packages_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
ADDED = [f"requirements-{name}.txt" for name in (*EXTRAS, "all", "dev", "bench")]
"""Each begins with requirements.txt."""

PATIENCE = 600
"""How many seconds a set-up may take on a busy machine."""
COMMAND = """
import sys
import tomllib
from hinterland.distribution.environment import ensure_environment
ensure_environment(*(each for each in sys.argv[1:] if each.startswith("requirements-")))
import needed
print(sys.prefix, *sys.argv[1:])
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path)


def write_project(folder: Path) -> Path:
    """A checkout whose run.py needs one package, which lies in a folder beside it, and whose part in C is a file."""
    root = folder / "a project"
    builder_of(root).parent.mkdir(parents=True)
    builder_of(root).write_text("import sys, needed\nopen(sys.prefix + '/built', 'w')")
    (root / "distribution").mkdir()
    shutil.copy(ROOT / "distribution" / "environment.py", root / "distribution")
    (root / "hinterland" / "distribution").symlink_to("../distribution")
    (root / "run.py").write_text(COMMAND)
    digest = hashlib.sha256(write_wheel(folder / "packages", "needed", "1.0").read_bytes()).hexdigest()
    (root / "requirements.txt").write_text(f"needed==1.0 \\\n    --hash=sha256:{digest}\n")
    return root


def builder_of(root: Path) -> Path:
    return root.joinpath(*BUILDER.split("."), "__main__.py")


def write_wheel(folder: Path, name: str, version: str) -> Path:
    """The smallest package that pip installs: one empty module."""
    folder.mkdir(exist_ok=True)
    files = {
        f"{name}.py": "",
        f"{name}-{version}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{name}-{version}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{name}-{version}.dist-info/RECORD"
    lines = [f"{path},{_digest(text)},{len(text)}\n" for path, text in files.items()]
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in {**files, record: "".join(lines) + f"{record},,\n"}.items():
            archive.writestr(path, text)
    return wheel


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def variables(project: Path, **more: str) -> Mapping[str, str]:
    """The environment of a user with an empty home and no network."""
    unwanted = ("HINTERLAND_", "PIP_", "PYTHON", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    pip = {"PIP_NO_INDEX": "1", "PIP_NO_CACHE_DIR": "1", "PIP_FIND_LINKS": str(project.parent / "packages")}
    return {**kept, **pip, "HOME": str(project.parent), **more}


def start(project: Path, *arguments: str, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "run.py", *arguments],
        cwd=project,
        env=variables(project, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(project: Path, *arguments: str, **more: str) -> tuple[int, str, str]:
    process = start(project, *arguments, **more)
    output, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, output, errors


# --- first runs ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FirstRuns:
    """said: the exit code, the output and the errors of each of two runs that began at the same time."""

    project: Path
    said: list[tuple[int, str, str]]


@pytest.fixture(scope="module")
def first_runs(tmp_path_factory: pytest.TempPathFactory) -> FirstRuns:
    """Over a half-made environment. To make a whole one takes pip seven seconds of CPU time."""
    project = write_project(tmp_path_factory.mktemp("first"))
    (project / ".venv" / "lib").mkdir(parents=True)
    (project / ".venv" / "pyvenv.cfg").write_text("left by a set-up that was killed")
    (project / ".venv" / environment.MARK).touch()
    processes = [start(project, "crawl", "a b") for _ in range(2)]
    said = [process.communicate(timeout=PATIENCE) for process in processes]
    codes = [process.returncode for process in processes]
    return FirstRuns(project, [(code, *each) for code, each in zip(codes, said, strict=True)])


def test_two_first_runs_at_once_over_a_half_made_environment_set_up_once_and_later_runs_are_silent(
    first_runs: FirstRuns,
) -> None:
    venv = first_runs.project / ".venv"
    assert [(code, output) for code, output, _ in first_runs.said] == [(0, f"{venv} crawl a b\n")] * 2
    assert sum("installing the packages of requirements.txt" in errors for _, _, errors in first_runs.said) == 1
    assert (venv / "built").exists()
    assert run(first_runs.project, "status") == (0, f"{venv} status\n", "")


def test_packages_that_are_not_to_be_had_are_named_with_the_way_out(first_runs: FirstRuns) -> None:
    more = first_runs.project / "requirements-more.txt"
    more.write_text("-r requirements.txt\nmissing==1.0 --hash=sha256:" + "0" * 64 + "\n")
    code, output, errors = run(first_runs.project, more.name)
    assert (code, output) == (environment.EXIT_SET_UP_FAILED, "")
    assert "No matching distribution found for missing==1.0" in errors
    assert "connect and run the same command again" in errors
    assert "Traceback" not in errors


def test_a_machine_that_cannot_build_the_part_in_c_is_told_so_once_and_set_up(first_runs: FirstRuns) -> None:
    project, other = first_runs.project, first_runs.project / "requirements-other.txt"
    other.write_text("-r requirements.txt\n")
    builder_of(project).write_text("import sys\nsys.exit(\"there is no C compiler 'cc'\")")
    code, output, errors = run(project, other.name)
    assert (code, output) == (0, f"{project / '.venv'} {other.name}\n")
    assert errors.endswith("which is slower: there is no C compiler 'cc'\n")
    assert run(project, other.name) == (0, f"{project / '.venv'} {other.name}\n", "")


def test_a_user_who_wants_no_set_up_gets_none(project: Path) -> None:
    code, _, errors = run(project, HINTERLAND_NO_SETUP="1")
    assert code == 1
    assert "No module named 'needed'" in errors
    assert not (project / ".venv").exists()


@pytest.mark.parametrize("is_link", [False, True])
def test_an_environment_that_the_user_made_is_refused_and_kept(project: Path, is_link: bool) -> None:
    made = project.parent / "elsewhere" if is_link else project / ".venv"
    (made / "lib").mkdir(parents=True)
    if is_link:
        (project / ".venv").symlink_to(made)
    code, _, errors = run(project)
    assert code == environment.EXIT_SET_UP_FAILED
    assert f"{project / '.venv'} exists already" in errors
    assert list((project / ".venv").iterdir()) == [project / ".venv" / "lib"]


def test_an_environment_of_the_users_own_that_has_every_package_is_used_as_it_is(project: Path) -> None:
    own = project.parent / "own"
    with zipfile.ZipFile(project.parent / "packages" / "needed-1.0-py3-none-any.whl") as wheel:
        wheel.extractall(own)
    code, output, errors = run(project, PYTHONPATH=str(own))
    assert (code, output, errors) == (0, f"{sys.prefix}\n", "")
    assert not (project / ".venv").exists()


# --- what counts as ready -----------------------------------------------------------------------


@pytest.fixture
def made(tmp_path: Path) -> Environment:
    """An environment that was completed, without its packages."""
    (tmp_path / "requirements.txt").write_text("a==1\n")
    made = Environment(tmp_path / ".venv")
    made.python.parent.mkdir(parents=True)
    made.python.symlink_to(sys.executable)
    made._write_stamp(tmp_path / "requirements.txt", (3, 11))
    return made


def test_a_completed_environment_is_ready(made: Environment, tmp_path: Path) -> None:
    assert made.is_ready(tmp_path / "requirements.txt")
    assert made.is_ready(tmp_path / "requirements.txt", made_for=(3, 11))
    assert not made.is_running()


def test_an_environment_for_another_python_is_not_ready(made: Environment, tmp_path: Path) -> None:
    assert not made.is_ready(tmp_path / "requirements.txt", made_for=(3, 13))


def test_an_environment_for_other_requirements_is_not_ready(made: Environment, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("a==2\n")
    assert not made.is_ready(tmp_path / "requirements.txt")


def test_an_environment_for_running_is_not_ready_for_developing(made: Environment, tmp_path: Path) -> None:
    (tmp_path / "requirements-dev.txt").write_text("a==1\nb==1\n")
    assert not made.is_ready(tmp_path / "requirements-dev.txt")


def test_an_environment_whose_python_is_gone_is_not_ready(made: Environment, tmp_path: Path) -> None:
    made.python.unlink()
    made.python.symlink_to(tmp_path / "gone")
    assert not made.is_ready(tmp_path / "requirements.txt")


# --- unsuitable machines ------------------------------------------------------------------------


def refusal(capsys: pytest.CaptureFixture[str], root: Path) -> str:
    with pytest.raises(SystemExit) as ended:
        environment.ensure_environment(root=root)
    assert ended.value.code == environment.EXIT_SET_UP_FAILED
    return capsys.readouterr().err


def test_an_older_python_is_told_which_one_is_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name == "python3.12" else None)
    message = refusal(capsys, tmp_path)
    assert "needs Python 3.11 or newer" in message
    assert "python3.12" in message


def test_windows_is_told_that_it_needs_its_linux(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert "Windows Subsystem for Linux" in refusal(capsys, tmp_path)


def test_a_debian_without_venv_is_told_the_package_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.delenv("HINTERLAND_NO_SETUP", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    (tmp_path / "requirements.txt").write_text("missing==1.0\n")
    message = refusal(capsys, tmp_path)
    assert f"apt install python3.{sys.version_info[1]}-venv" in message


@pytest.mark.parametrize("old", ["python3.7", "python3.8", "python3.9", "python3.10"])
def test_older_pythons_can_read_the_set_up(old: str) -> None:
    import ast

    minor = int(old.rpartition(".")[2])
    source = (ROOT / "distribution" / "environment.py").read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, minor))


# --- pins ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", True),
        ("pytest=={pytest}", True),
        ("pytest=={pytest} \\\n    --hash=sha256:0", True),
        ("pytest==0.1", False),
        ("no-such-package==1", False),
        ("no-such-package==1 ; sys_platform == 'win32'", True),
        ("pytest==0.1 ; python_version < '3'\npytest=={pytest} ; python_version >= '3'", True),
        ("pytest==0.1 ; python_version < '3'", False),
    ],
)
def test_an_environment_satisfies_pins_at_exactly_their_versions(text: str, expected: bool) -> None:
    assert all_installed(text.format(pytest=pytest.__version__)) is expected


@pytest.mark.parametrize("name", ["requirements.txt", *ADDED])
def test_every_pinned_package_has_hashes_and_no_file_records_a_url(name: str) -> None:
    lines = text_of(ROOT / name).splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        assert "://" not in line
        if not line.startswith(" "):
            assert "==" in line
            assert line.endswith("\\")
            assert following.startswith("    --hash=sha256:")


def pins_of(name: str) -> set[tuple[str, str]]:
    return {pin[:2] for pin in environment._pins(text_of(ROOT / name))}


@pytest.mark.parametrize("name", ADDED)
def test_the_larger_requirements_begin_with_the_smaller(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8").startswith("-r requirements.txt\n")
    assert pins_of("requirements.txt") < pins_of(name)


def test_the_files_agree_on_every_version() -> None:
    known = pins_of("requirements-all.txt") | pins_of("requirements-dev.txt")
    assert all(pins_of(f"requirements-{name}.txt") <= known for name in EXTRAS)


def test_an_environment_for_developing_has_what_every_command_needs() -> None:
    assert pins_of("requirements-all.txt") - pins_of("requirements-cluster.txt") <= pins_of("requirements-dev.txt")


@pytest.mark.parametrize("name", EXTRAS)
def test_an_extra_has_the_packages_that_pyproject_gives_it(name: str) -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        given = tomllib.load(file)["project"]["optional-dependencies"][name]
    own = {re.split("[<>=]", each)[0] for each in given if not each.startswith("hinterland[")}
    assert own <= set(packages_of(name))
    assert set(packages_of(name)) <= {package for package, _ in pins_of(f"requirements-{name}.txt")}
