"""The experiment has enough real local domains: those of the graphs beside the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.analysis.local_domain import DomainRule, suitable_domains
from hinterland.analysis.stored_graph import load_stored_graph
from tests.support.shared_data import shared_folder

pytestmark = pytest.mark.slow

FOLDERS: list[Path] = sorted(file.parent for file in shared_folder("data/webgraphs").glob("*/graph.npz"))


def test_real_graphs_offer_at_least_twenty_local_domains_of_hosts_blocks_labels_and_endings() -> None:
    found = [each for folder in FOLDERS for each in suitable_domains(load_stored_graph(folder), DomainRule())]
    names = {each.domain.name for each in found}
    assert len(names) == len(found) >= 20
    assert {
        "uci-ics-2020 www.cs.uci.edu",
        "cnr-2000 block 202",
        "wikispeedia-2007 History",
        "elxn42-sites-2015 .org",
    } <= names
    assert all(len(each.domain.truth) == 53_769 for each in found if each.domain.name.startswith("uci-ics-2020"))
