"""Plug-ins as they are found: in files and in installed packages, whole or broken."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from hinterland.crawler.plugins.kinds import ESTIMATOR, EXPORTER, KINDS, POLICY
from hinterland.crawler.plugins.loading import PluginError, installed_names, installed_plugin, plugins_of
from tests.support.plug_ins import NEWEST, install


def written(folder: Path, source: str, name: str = "mine.py") -> str:
    file = folder / name
    file.write_text(source, encoding="utf-8")
    return str(file)


def refusal(*files: str) -> str:
    with pytest.raises(PluginError) as caught:
        plugins_of(files)
    return str(caught.value)


def test_a_file_offers_what_is_in_its_tables(tmp_path: Path) -> None:
    file = written(tmp_path, NEWEST + "class Flat:\n    estimate = None\nESTIMATORS = {'flat': Flat}\n")
    policy, estimator = plugins_of([file])
    assert (policy.kind, policy.name, policy.origin) == (POLICY, "newest", file)
    assert policy.what(0).discovered(np.array([3, 4], np.int32), None).tolist() == [3.0, 4.0]
    assert (estimator.kind, estimator.name) == (ESTIMATOR, "flat")
    assert plugins_of([file], [EXPORTER]) == []


def test_a_file_is_run_once_though_it_is_named_twice_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    file = written(tmp_path, NEWEST)
    assert len(plugins_of([file, file])) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["mine.py"]


def test_a_file_may_hold_dataclasses(tmp_path: Path) -> None:
    head = "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    lines = "@dataclass\nclass Size:\n    count: int = 1\n"
    assert plugins_of([written(tmp_path, head + lines + NEWEST)])


@pytest.mark.parametrize(
    "source, complaint",
    [
        ("POLICIES = {", "mine.py cannot be imported: line 1: '{' was never closed; fix it, or leave it out"),
        ("a = 1\nb = 1 / 0\n", "mine.py cannot be imported: line 2: ZeroDivisionError: division by zero; fix it"),
        ("import sys\nsys.exit(3)\n", "mine.py cannot be imported: line 2: SystemExit: 3; fix it"),
        ("import nowhere_to_be_found\n", "line 1: ModuleNotFoundError: No module named 'nowhere_to_be_found'; fix it"),
        ("a = 1\n", "mine.py has no plug-in: it needs a dict, name -> plug-in, called POLICIES or ESTIMATORS"),
        ("POLICIES = ['newest']\n", "mine.py: POLICIES must be a dict, name -> policy, not ['newest']"),
        (
            NEWEST.replace("newest", "bad name"),
            "mine.py: POLICIES has 'bad name'; a name consists of lower-case letters",
        ),
        ("POLICIES = {3: None}\n", "mine.py: POLICIES has 3; a name consists of lower-case letters"),
        (
            "class Half:\n    def __init__(self, seed): self.uses_links = self.needs_refresh = False\n{}".format(
                "    fetched = discovered = begin_refresh = None\nPOLICIES = {'half': Half}\n"
            ),
            "mine.py lacks fetched_all; see hinterland.policies for a base class or an example",
        ),
        ("POLICIES = {'none': lambda: None}\n", "the policy 'none' of"),
        ("ESTIMATORS = {'none': dict}\n", "the estimator 'none' of"),
        (
            "class Bad:\n    def __init__(self):\n        raise ValueError('no\\ndata')\nESTIMATORS = {'bad': Bad}\n",
            "mine.py cannot be made: line 3: ValueError: no data; fix it, or leave it out",
        ),
        ("EXPORTERS = {'page': 7}\n", "mine.py lacks suffix and what and write; see hinterland.exporters"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(source: str, complaint: str, tmp_path: Path) -> None:
    before = set(sys.modules)
    assert complaint in refusal(written(tmp_path, source))
    assert "hinterland_plugin" not in "".join(set(sys.modules) - before) or "cannot be imported" not in complaint


def test_a_file_that_is_not_there_is_named() -> None:
    assert refusal("nowhere.py") == "the plug-in nowhere.py cannot be read: No such file or directory"


def test_two_files_cannot_have_the_same_name(tmp_path: Path) -> None:
    first, second = written(tmp_path, NEWEST), written(tmp_path, NEWEST, "other.py")
    assert f"{second}: {first} has the policy 'newest', too; rename one of them" in refusal(first, second)


# --- installed packages -------------------------------------------------------------------------


def test_an_installed_package_offers_its_plug_ins_and_is_imported_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "hinterland.policies", "newest = seldom_orders:Newest", package="seldom-orders")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert installed_names(POLICY) == ["newest"]
    assert "seldom_orders" not in sys.modules
    plugin = installed_plugin(POLICY, "newest")
    assert plugin is not None
    assert (plugin.name, plugin.origin) == ("newest", "seldom-orders 1.0")
    assert installed_plugin(POLICY, "oldest") is None
    assert [installed_names(kind) for kind in KINDS if kind is not POLICY] == [[]] * (len(KINDS) - 1)


@pytest.mark.parametrize(
    "target, complaint",
    [
        ("nowhere_at_all:Newest", "cannot be imported (nowhere_at_all:Newest): ModuleNotFoundError: No module named"),
        ("newest_orders:Oldest", "cannot be imported (newest_orders:Oldest): AttributeError: "),
        ("newest_orders:POLICIES", "of newest-orders 1.0 cannot be made: TypeError: 'dict' object is not callable"),
    ],
)
def test_an_installed_one_that_is_broken_is_named_with_its_package(
    target: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "hinterland.policies", f"broken = {target}")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginError) as caught:
        installed_plugin(POLICY, "broken")
    assert str(caught.value).startswith("the policy 'broken' of newest-orders 1.0 ")
    assert complaint in str(caught.value)


def test_two_packages_with_one_name_are_both_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second"):
        install(tmp_path / name, "hinterland.policies", "newest = newest_orders:Newest", package=name)
        monkeypatch.syspath_prepend(str(tmp_path / name))
    with pytest.raises(PluginError, match=r"'newest' is offered by first 1.0 and by second 1.0; uninstall all but one"):
        installed_plugin(POLICY, "newest")
