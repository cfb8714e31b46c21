"""Documents that are not HTML, from the request to the search."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hinterland.cli import main
from tests.support.crawling import crawl, outcomes, rows
from tests.support.hostile_documents import HOSTILE_PDFS, good_pdf
from tests.support.in_process import said
from tests.support.web import Answer, LoopbackWeb


async def crawled(store: Path, documents: tuple[str, ...]) -> dict[str, str]:
    """The outcomes of a web with a PDF, a locked one and a text, by path."""
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/manual", "/locked", "/notes.md"])
        pdf = good_pdf("quicksilver thermometers", link=web.url("a.test", "/from-pdf"))
        web.answer("a.test", "/manual", Answer(pdf, content_type="application/pdf"))
        web.answer("a.test", "/locked", Answer(HOSTILE_PDFS["locked-rc4"](), content_type="application/pdf"))
        web.answer("a.test", "/notes.md", Answer(b"# Notes\n\n[more](/from-text)", content_type="text/plain"))
        web.page("a.test", "/from-pdf")
        web.page("a.test", "/from-text")
        await crawl(
            web.addresses, [seed], store, fetching={"documents": documents, "allow_networks": ("127.0.0.0/8",)},
            storage={"keep_bodies": True},
        )  # fmt: skip
        return {urlsplit(url).path: outcome for url, outcome in outcomes(store).items()}


@pytest.mark.slow
async def test_documents_are_read_and_their_links_followed(tmp_path: Path) -> None:
    found = await crawled(tmp_path / "d.db", ("pdf", "markdown", "text"))
    assert found == {
        "/": "fetched", "/manual": "fetched", "/locked": "unreadable", "/notes.md": "fetched",
        "/from-pdf": "fetched", "/from-text": "fetched",
    }  # fmt: skip
    columns = "title, language, charset, content_type"
    [row] = rows(tmp_path / "d.db", f"SELECT {columns} FROM pages WHERE url LIKE '%/manual'")
    assert row == ("A title", "en-GB", None, "application/pdf")
    [(detail,)] = rows(tmp_path / "d.db", "SELECT detail FROM fetch WHERE outcome = 'unreadable'")
    assert detail == "it is protected by a password"


async def test_without_being_asked_for_they_are_not_downloaded(tmp_path: Path) -> None:
    found = await crawled(tmp_path / "d.db", ())
    assert {path for path, outcome in found.items() if outcome == "other_type"} == {"/manual", "/locked", "/notes.md"}


@pytest.mark.slow
def test_a_search_finds_a_pdf_by_its_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(crawled(tmp_path / "d.db", ("pdf",)))
    assert main(["index", str(tmp_path / "d.db")]) == 0
    capsys.readouterr()
    assert "/manual" in said(capsys, "search", tmp_path / "d.db", "thermometer")
