"""The review page: answered by keyboard alone in a real browser, and by nobody who is not asked."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
import uvloop

from hinterland.crawler.features.topics.files.review_session import ReviewSession
from hinterland.crawler.features.topics.files.stored_pages import background_of, sampled_pages, stored_page
from hinterland.crawler.features.topics.files.topic_files import read_topic, write_topic
from hinterland.crawler.features.topics.model.describing import describe
from hinterland.storage.reading.opening import reading
from hinterland.web.review_page import Review
from tests.support.browsing import BrowserLoop, served, visiting
from tests.support.in_process import complaint
from tests.support.topics import topic_store

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return topic_store(tmp_path_factory.mktemp("review") / "pages.db")


@pytest.fixture
def topic(store: Path, tmp_path: Path) -> Path:
    """Gardening, of one page of it and one of sailing."""
    path = tmp_path / "gardening.topic"
    with reading(store) as reader:
        like, unlike = stored_page(reader, 0), stored_page(reader, 6)
        drawn = sampled_pages(reader)
    assert like is not None
    assert unlike is not None
    examples = [like.as_example(is_about=True), unlike.as_example(is_about=False)]
    write_topic(describe("gardening", "", examples, background_of(drawn)).topic, path)
    return path


def reviewed(store: Path, topic: Path) -> Review:
    with reading(store) as reader:
        return Review(ReviewSession(topic, sampled_pages(reader)))


def judged(topic: Path) -> dict[str, bool]:
    return {example.address: example.is_about for example in read_topic(topic).examples}


async def asked(page: Page) -> str:
    return str(await page.get_attribute("#answers input[name=url]", "value"))


async def pressed(page: Page, key: str) -> str:
    """Which page was answered by the key."""
    url = await asked(page)
    async with page.expect_navigation():
        await page.keyboard.press(key)
    return url


def test_ten_pages_are_answered_by_keyboard_alone(browser_loop: BrowserLoop, store: Path, topic: Path) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, store, review=reviewed(store, topic)) as visitor:
            await visitor.go("/review")
            assert "gardening" in await visitor.page.inner_text("h1")
            answers = {}
            for _ in range(10):
                is_about = "garden" in await asked(visitor.page)
                answers[await pressed(visitor.page, "y" if is_about else "n")] = is_about
            assert answers.items() <= judged(topic).items()
            assert len(answers) == 10
            assert "Learnt from 10 answers" in await visitor.page.inner_text("[role=status]")
            skipped = await pressed(visitor.page, "s")
            assert skipped not in judged(topic)
            assert await asked(visitor.page) != skipped
            assert not visitor.complaints
            assert not await visitor.violations()

    browser_loop.run(scenario)


def test_buttons_are_reached_by_tab_and_an_answer_is_turned_round(
    browser_loop: BrowserLoop, store: Path, topic: Path
) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, store, review=reviewed(store, topic)) as visitor:
            page = visitor.page
            await visitor.go("/review")
            url = await asked(page)
            await tab_to(page, "No")
            async with page.expect_navigation():
                await page.keyboard.press("Enter")
            assert judged(topic)[url] is False
            await tab_to(page, "Change to yes")
            async with page.expect_navigation():
                await page.keyboard.press("Enter")
            assert judged(topic)[url] is True

    browser_loop.run(scenario)


async def tab_to(page: Page, words: str) -> None:
    for _ in range(30):
        await page.keyboard.press("Tab")
        if str(await page.evaluate("document.activeElement.textContent")).startswith(words):
            return
    raise AssertionError(f"Tab does not reach {words!r}")


def test_it_works_without_javascript(browser_loop: BrowserLoop, store: Path, topic: Path) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, store, review=reviewed(store, topic), java_script_enabled=False) as visitor:
            await visitor.go("/")
            await visitor.page.click("nav >> text=Review")
            url = await asked(visitor.page)
            await visitor.page.click("#answers button[value=yes]")
            assert judged(topic)[url] is True
            assert await asked(visitor.page) != url

    browser_loop.run(scenario)


@pytest.mark.parametrize("scheme, width", [("light", 320), ("dark", 390)])
def test_axe_finds_no_serious_fault_and_nothing_is_wider_than_a_phone(
    scheme: str, width: int, browser_loop: BrowserLoop, store: Path, topic: Path
) -> None:
    from axe_playwright_python.async_playwright import Axe

    async def scenario(browser: Browser) -> None:
        look: dict[str, Any] = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}}
        async with visiting(browser, store, review=reviewed(store, topic), **look) as visitor:
            await visitor.go("/review")
            await pressed(visitor.page, "y")
            found = await Axe().run(visitor.page)
            faults = [each for each in found.response["violations"] if each["impact"] in ("serious", "critical")]
            assert not faults, json.dumps(faults, indent=1)
            assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= width

    browser_loop.run(scenario)


# --- who is not asked ---------------------------------------------------------------------------


def asking(
    store: Path, review: Review | None, question: Callable[[aiohttp.ClientSession, str], Awaitable[object]]
) -> None:
    async def scenario() -> None:
        async with served(store, review=review) as base, aiohttp.ClientSession() as session:
            await question(session, base)

    uvloop.run(scenario())


@pytest.mark.parametrize(
    "form, status",
    [
        ({"answer": "yes"}, 403),
        ({"answer": "yes", "token": "guessed"}, 403),
        ({"answer": "perhaps", "token": "right"}, 400),
        ({"answer": "yes", "token": "right", "url": "http://elsewhere.test/"}, 400),
    ],
)
def test_answers_that_were_not_asked_for_change_nothing(
    store: Path, topic: Path, form: dict[str, str], status: int
) -> None:
    before = topic.read_bytes()
    review = reviewed(store, topic)

    async def question(session: aiohttp.ClientSession, base: str) -> None:
        token = {"token": review.token} if form.get("token") == "right" else {}
        answer = await session.post(f"{base}/review", data=form | token)
        assert answer.status == status

    asking(store, review, question)
    assert topic.read_bytes() == before


def test_without_a_topic_nothing_is_asked_and_nothing_taken(store: Path) -> None:
    async def question(session: aiohttp.ClientSession, base: str) -> None:
        assert (await session.get(f"{base}/review")).status == 404
        assert (await session.post(f"{base}/review", data={"answer": "yes"})).status == 404
        assert "Review" not in await (await session.get(base)).text()

    asking(store, None, question)


def test_an_answer_that_cannot_be_kept_is_said(store: Path, topic: Path) -> None:
    review = reviewed(store, topic)
    topic.unlink()
    topic.mkdir()

    async def question(session: aiohttp.ClientSession, base: str) -> None:
        asked = await review.question()
        assert asked is not None
        form = {"answer": "yes", "url": asked.page.url, "token": review.token}
        answer = await session.post(f"{base}/review", data=form)
        assert answer.status == 503
        assert "could not be stored" in await answer.text()

    asking(store, review, question)


def test_other_machines_are_not_asked(capsys: pytest.CaptureFixture[str], store: Path, topic: Path) -> None:
    said = complaint(capsys, "serve", str(store), "--topic", str(topic), "--host", "0.0.0.0")
    assert "works on this machine only" in said


def test_a_topic_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str], store: Path) -> None:
    assert "there is no topic" in complaint(capsys, "serve", str(store), "--topic", "none")
