"""The documents as a site, and the reference that is generated from the code."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from docs import reference_pages
from hinterland.cli.commands import parser
from hinterland.crawler.settings import SECTIONS, Settings
from hinterland.distribution.environment import ROOT


class _Page(HTMLParser):
    """The links, the things fetched while a page is read, and the anchors of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := given.get(name)))
        if tag == "a" and (href := given.get("href")):
            self.links.append(href)
        is_loaded = tag in ("img", "script", "iframe", "source") or (tag == "link" and given.get("rel") == "stylesheet")
        self.fetched += [value for name in ("src", "srcset", "href") if is_loaded and (value := given.get(name))]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", f"{folder}/trees", "-c", "docs", "."]
    built = subprocess.run([*command, f"{folder}/html"], cwd=ROOT, capture_output=True, text=True)
    assert (built.returncode, built.stderr) == (0, "")
    return folder / "html"


@pytest.mark.slow
def test_the_documents_make_a_site_whose_links_anchors_and_pictures_are_all_there(site: Path) -> None:
    pages = {file: _Page(file.read_text("utf-8")) for file in site.rglob("*.html")}
    assert site / "docs/tutorial.html" in pages
    for file, page in pages.items():
        for link in [*page.links, *page.fetched]:
            target, anchor = urldefrag(link)
            if urlsplit(target).scheme:
                continue
            there = (file.parent / unquote(urlsplit(target).path)).resolve() if target else file
            assert there.exists(), f"{file.relative_to(site)} leads to {link}"
            assert not anchor or there not in pages or unquote(anchor) in pages[there].anchors, f"{file}: {link}"


@pytest.mark.slow
def test_reading_the_site_fetches_nothing_from_elsewhere(site: Path) -> None:
    for file in site.rglob("*.html"):
        assert [each for each in _Page(file.read_text("utf-8")).fetched if urlsplit(each).netloc] == []
    for file in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?https?:", file.read_text("utf-8")), file


@pytest.mark.parametrize("name", reference_pages.pages())
def test_the_reference_is_what_the_code_says(name: str) -> None:
    kept = (reference_pages.FOLDER / name).read_text("utf-8")
    assert kept == reference_pages.pages()[name], "run: .venv/bin/python -m docs.reference_pages"


def test_every_option_of_every_command_says_what_it_does() -> None:
    for name, command in reference_pages.commands_of(parser()).items():
        for action in command._get_optional_actions():
            assert action.help, f"{name} {action.option_strings}"


def test_every_setting_says_its_reason_and_its_unit() -> None:
    for name in SECTIONS:
        for key, rule in Settings().section(name).rules().items():
            assert rule.reason, f"{name}.{key}"
            assert rule.hint, f"{name}.{key}"


def test_every_table_view_and_column_is_explained() -> None:
    explained = (ROOT / "docs/schema.md").read_text("utf-8")
    for name in reference_pages.names_of_schema():
        assert f"`{name}`" in explained, name
    assert reference_pages.unexplained_columns(explained) == []
