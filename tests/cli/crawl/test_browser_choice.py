from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from hinterland.crawler.settings import Settings
from hinterland.library.crawls.requirements import require_installed
from tests.support.in_process import complaint

needs_playwright = pytest.mark.skipif(find_spec("playwright") is None, reason="Playwright is not installed")


def test_without_rendering_nobody_looks_for_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    require_installed(Settings())


@needs_playwright
def test_a_crawl_that_needs_a_browser_that_is_not_there_does_not_begin(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "")
    store = tmp_path / "store.db"
    said = complaint(capsys, "crawl", "http://127.0.0.1:9/", "--store", store, "--render", "auto")
    assert "looked for chromium, chromium-browser, google-chrome" in said
    assert "apt install chromium" in said
    assert not store.exists()


@needs_playwright
def test_one_that_is_named_has_to_be_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = ("--render", "always", "--set", "rendering.browser=/nowhere/chromium")
    said = complaint(capsys, "crawl", "http://127.0.0.1:9/", "--store", tmp_path / "store.db", *given)
    assert 'rendering.browser = "/nowhere/chromium": there is no such program' in said
