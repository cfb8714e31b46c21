"""The signs of a crawl, on pages drawn by hand."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.estimates.crawl_signs import NO_SIGNS, crawl_signs
from hinterland.analysis.link_log import LinkLog


def test_signs_are_the_rank_that_the_site_gives_itself_and_the_share_of_its_links_that_lead_out() -> None:
    log = LinkLog()
    for page, links in ((0, [1, 2, 4]), (1, [0]), (3, [0, 1])):  # 2 is a local page that is not crawled, 3, 4 outside
        log.append(page, np.array(links, np.int32))
    is_local = np.array([True, True, True, False, False])
    crawled = log.snapshot(is_local, (~is_local).astype(np.int32))
    signs = crawl_signs(crawled, np.array([0.3, 0.2, 0.1, 0.3, 0.1]))
    assert signs.inside_rank == pytest.approx(0.85 * (0.3 / 3 + 0.2) / 0.5)
    assert signs.outward_links == 1 / 4


def test_a_crawl_without_local_pages_has_none() -> None:
    assert crawl_signs(LinkLog().snapshot(np.empty(0, np.bool_), np.empty(0, np.int32)), np.empty(0)) == NO_SIGNS
