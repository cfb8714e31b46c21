"""What only some commands need: found missing before there is any work, and named with the way out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hinterland
from hinterland.cli.commands import all_commands
from hinterland.crawler.policies import POLICIES, is_compiled, make_policy
from hinterland.distribution.environment import ROOT
from hinterland.distribution.extras import EXTRAS, MissingExtra, MissingPackage, need, packages_of
from tests.support.in_process import complaint, said


def hide(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """As if these packages were not installed."""
    for module in modules:
        for name in [module, *(each for each in sys.modules if each.startswith(f"{module}."))]:
            monkeypatch.setitem(sys.modules, name, None)


def test_what_is_missing_is_named_with_the_command_that_adds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    need("search", by="this")
    hide(monkeypatch, "tantivy", "numba")
    with pytest.raises(MissingExtra) as missing:
        need("search", by="this", otherwise="do without")
    assert missing.value.extras == ("search",)
    assert str(missing.value).startswith("this needs numba and tantivy, which are not installed; to install: `")
    assert str(missing.value).endswith("`, or do without")
    assert "search" in str(missing.value).partition("to install")[2]


@pytest.mark.parametrize(
    "command, package, extra",
    [
        ("search none.db word", "tantivy", "search"),
        ("index none.db", "resiliparse", "search"),
        ("serve none.db", "jinja2", "serve"),
        ("rank none.db", "numba", "rank"),
        ("report none.db", "scipy", "research"),
        ("crawl http://a.test/ --store none.db --policy pagerank", "numba", "rank"),
        ("crawl http://a.test/ --store none.db --hinterland 1.0", "numba", "rank"),
        ("crawl http://a.test/ --store none.db --set fetching.documents=['pdf']", "pypdfium2", "documents"),
        ("topic new x --like words.txt", "sklearn", "topics"),
    ],
)
def test_a_command_that_lacks_something_ends_before_it_does_anything(
    command: str,
    package: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    hide(monkeypatch, package)
    told = complaint(capsys, *command.split())
    assert "not installed; to install: `" in told
    assert f"requirements-{extra}.txt" in told
    assert not list(tmp_path.iterdir())


def test_a_program_gets_an_error_that_it_can_show(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hide(monkeypatch, "tantivy")
    with pytest.raises(MissingPackage, match="an index needs tantivy"):
        hinterland.build_index(tmp_path / "s.db")
    with pytest.raises(MissingPackage, match="an index needs tantivy"):
        hinterland.open_index(tmp_path / "s.db")
    with pytest.raises(MissingPackage, match="a search needs tantivy"):
        hinterland.search_pages(tmp_path / "s.db", "word")
    hide(monkeypatch, "numba", "pyarrow")
    with pytest.raises(MissingPackage, match="ranking pages needs numba"):
        hinterland.rank(tmp_path / "s.db")
    with pytest.raises(MissingPackage, match="--format bvgraph needs numba"):
        hinterland.export(tmp_path / "s.db", "bvgraph")
    with pytest.raises(MissingPackage, match="--format parquet needs pyarrow"):
        hinterland.export(tmp_path / "s.db", "parquet")
    with pytest.raises(MissingPackage, match="the policy flow needs numba"):
        hinterland.crawl(["http://a.test/"], tmp_path / "s.db", settings={"policy.name": "flow"})
    assert not list(tmp_path.iterdir())


def test_setup_lists_the_extras_and_their_sizes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hide(monkeypatch, "pyarrow")
    lines = {line.split()[0]: line for line in said(capsys, "setup").splitlines()}
    assert list(lines) == list(EXTRAS)
    assert all(package in lines[name] for name in EXTRAS for package in packages_of(name))
    assert "installed" in lines["search"]
    assert f"{EXTRAS['parquet'].megabytes} MB" in lines["parquet"]
    assert "requirements-parquet.txt" in complaint(capsys, "setup", "parquet")
    assert 'there is no extra "serch"; the nearest is "search"' in complaint(capsys, "setup", "serch")
    said(capsys, "setup", "search", "rank")


WITHOUT_COMPILER = """
import sys
sys.modules["numba"] = None
import numpy as np
from hinterland.crawler.policies.warm_up import warm_up
from hinterland.crawler.policies import POLICIES, make_policy
from hinterland.errors import MissingPackage

for name in POLICIES:
    try:
        if make_policy(name, 0).needs_refresh:
            warm_up(name)
    except MissingPackage:
        print(name)
"""


@pytest.mark.slow
def test_it_is_known_which_policies_are_compiled() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_COMPILER], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split() == [name for name in POLICIES if is_compiled(name)]
    assert not make_policy("bfs", 0).needs_refresh


WITHOUT_EXTRAS = """
import sys
for module in ("numba", "scipy", "sklearn", "tantivy", "resiliparse", "jinja2", "prometheus_client"):
    sys.modules[module] = None
from hinterland.cli import main
for line in sys.stdin:
    print(f"{line.split()[0]}:")
    assert main(line.split()) == 0, line
"""


@pytest.mark.slow
def test_a_crawl_and_what_tells_of_it_need_no_extra(tmp_path: Path) -> None:
    formats = ("csv", "jsonl", "edges", "graphml", "opensearch", "sitemap")
    commands = ["demo --store demo.db", "status demo.db", "links 0 --store demo.db", "changes demo.db"]
    commands += [f"export demo.db --format {name} --output {name}.out" for name in formats]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS],
        input="\n".join(commands),
        cwd=tmp_path,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "HINTERLAND_NO_SETUP": "1",
            "PYTHONPYCACHEPREFIX": str(sys.pycache_prefix),  # what the tests import is compiled already
        },
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert "pages" in done.stdout.partition("status:")[2].partition("links:")[0]
    assert "is linked from" in done.stdout.partition("links:")[2].partition("changes:")[0]


WITH_ITS_OWN = """
import sys
from hinterland.cli.commands import all_commands, runner_of
from hinterland.distribution.extras import EXTRAS, modules_of

needs = tuple(sys.argv[1:])
own = {module for extra in needs for module in modules_of(extra).values()}
for module in {module for extra in EXTRAS for module in modules_of(extra).values()} - own:
    sys.modules[module] = None
for command in all_commands().values():
    if command.needs == needs:
        runner_of(command)
if "serve" in needs:
    import hinterland.web.server
    import hinterland.web.combined_application
"""


@pytest.mark.parametrize("needs", sorted({command.needs for command in all_commands().values()}))
@pytest.mark.slow
def test_every_command_needs_no_more_than_it_says(needs: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", WITH_ITS_OWN, *needs]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
