from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from math import inf

from hinterland.crawler.features.rendering.allowance import Allowance
from hinterland.crawler.features.rendering.browser.subrequests import GiveBack, Manners, Subrequests
from hinterland.crawler.features.rendering.messages import SubresourceRequest, SubresourceResponse
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.names.resolver import NamedAddress
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.robots.rules import ALLOW_ALL, RobotsRules, parse_robots

PAGE = "http://a.test/"
MISSING = Answer(404, b"", 0.0)


class Web:
    """Answers what was defined, one request of a host at a time or the test fails; each takes a tenth of a second."""

    def __init__(self, answers: Mapping[str, Answer | NoAnswer]) -> None:
        self._answers = answers
        self._open = set[str]()
        self.asked: list[str] = []
        self.time = 1000.0
        self.slept: list[float] = []
        self.lent: list[str] = []
        self.not_lent = set[str]()
        self.given_back: list[tuple[str, float, float]] = []
        self.own_rules: RobotsRules = ALLOW_ALL
        self.robots: dict[str, bytes | None] = {}
        self.robots_read: list[str] = []
        self.asked_by: list[str] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 1))
        self.time += seconds

    async def rules(self, url: str, *, is_own: bool) -> RobotsRules | None:
        host = url.split("/")[2]
        if is_own:
            return self.own_rules
        self.robots_read.append(host)
        text = self.robots.get(host, b"")
        return None if text is None else parse_robots(text, "Bot")

    async def borrow(self, url: str) -> GiveBack | None:
        host = url.split("/")[2]
        self.lent.append(host)
        return None if host in self.not_lent else lambda seconds, asked: self.given_back.append((host, seconds, asked))

    async def resolve(self, host: str) -> NamedAddress | NoAnswer | None:
        return NamedAddress("192.0.2.1", inf)

    async def fetch(self, url: str, limits: BodyLimits, *, by: str) -> Answer | NoAnswer:
        host = url.split("/")[2]
        assert host not in self._open
        self._open.add(host)
        self.asked.append(url)
        self.asked_by.append(by)
        await asyncio.sleep(0)
        self.time += 0.1
        self._open.discard(host)
        return self._answers.get(url, MISSING)


def subrequests(web: Web, rules: RobotsRules = ALLOW_ALL, delay_seconds: float = 0.0) -> Subrequests:
    web.own_rules = rules
    return Subrequests(web, web, Manners(delay_seconds, 10.0), 1_000_000, web.now, web.sleep)


def allowance(requests: int = 50) -> Allowance:
    return Allowance(PAGE, requests, 1_000_000)


def wanted(url: str, kind: str = "fetch", method: str = "GET") -> SubresourceRequest:
    return SubresourceRequest(1, url, kind, method)


def script(text: bytes = b"1") -> Answer:
    return Answer(200, text, 0.1, content_type="text/javascript", content_encoding="gzip")


async def test_a_script_is_given_as_it_was_sent() -> None:
    web = Web({"http://a.test/x.js": script()})
    given = await subrequests(web).answer(PAGE, wanted("http://a.test/x.js#part", "script"), allowance())
    assert given == SubresourceResponse(1, 200, b"1", "gzip", "text/javascript")


async def test_a_script_is_fetched_once_for_many_pages_but_data_are_not() -> None:
    web = Web({"http://a.test/x.js": script(), "http://a.test/d": script()})
    fetches = subrequests(web)
    for _ in range(2):
        await fetches.answer(PAGE, wanted("http://a.test/x.js", "script"), allowance())
        await fetches.answer(PAGE, wanted("http://a.test/d"), allowance())
    assert web.asked == ["http://a.test/x.js", "http://a.test/d", "http://a.test/d"]


async def test_a_script_that_a_login_opened_is_not_kept_for_other_pages() -> None:
    web = Web({"http://a.test/x.js": dataclasses.replace(script(), login="bearer")})
    fetches = subrequests(web)
    for _ in range(2):
        await fetches.answer(PAGE, wanted("http://a.test/x.js", "script"), allowance())
    assert web.asked == ["http://a.test/x.js", "http://a.test/x.js"]
    assert web.asked_by == [PAGE, PAGE]  # so that only a page of the same origin gets in


async def test_the_rules_of_the_page_s_host_hold_for_what_it_asks_for() -> None:
    web, given = Web({}), allowance()
    rules = parse_robots(b"User-agent: *\nDisallow: /api/", "Bot")
    answer = await subrequests(web, rules).answer(PAGE, wanted("http://a.test/api/1"), given)
    assert (answer.status, web.asked) == (0, [])
    assert given.refusals == "some of its requests were refused: 1 forbidden by robots.txt"


async def test_the_rules_of_another_host_hold_as_the_crawl_knows_them() -> None:
    web = Web({"http://b.test/yes": script()})
    web.robots["b.test"] = b"User-agent: *\nDisallow: /no"
    fetches = subrequests(web)
    answers = [
        await fetches.answer(PAGE, wanted(f"http://b.test/{path}"), allowance()) for path in ("yes", "no", "yes")
    ]
    assert [each.status for each in answers] == [200, 0, 200]
    assert web.asked == ["http://b.test/yes", "http://b.test/yes"]


async def test_nothing_is_fetched_of_a_host_whose_rules_cannot_be_read() -> None:
    web, given = Web({}), allowance()
    web.robots["b.test"] = None
    answer = await subrequests(web).answer(PAGE, wanted("http://b.test/x.js", "script"), given)
    assert (answer.status, web.asked) == (0, [])
    assert given.refusals == "some of its requests were refused: 1 of a host whose robots.txt cannot be read"


async def test_a_crawl_delay_of_the_page_s_host_holds_between_all_that_the_page_asks_it_for() -> None:
    web, given = Web({f"http://a.test/{n}": script() for n in range(3)}), allowance()
    fetches = subrequests(web, parse_robots(b"User-agent: *\nCrawl-delay: 7", "Bot"))
    await asyncio.gather(*(fetches.answer(PAGE, wanted(f"http://a.test/{n}"), given) for n in range(3)))
    assert web.slept == [7.0, 7.0]
    assert web.given_back == [("a.test", 0.1, 7.0)] * 3
    assert (given.requests_of_host, given.seconds_of_host) == (0, 0.0)  # it has rested for them


async def test_a_page_has_time_for_the_rests_that_its_host_asks_for_but_not_without_end() -> None:
    for delay, seconds in (("", 0.0), ("2", 40.0), ("9999", 200.0)):
        rules = parse_robots(f"User-agent: *\nCrawl-delay: {delay}".encode(), "Bot")
        assert await subrequests(Web({}), rules).rest_seconds(PAGE) == seconds
    fetches = Subrequests(Web({}), lends := Web({}), Manners(0.0, 300.0), 1_000_000, lends.now, lends.sleep)
    lends.own_rules = parse_robots(b"User-agent: *\nCrawl-delay: 9999", "Bot")
    assert await fetches.rest_seconds(PAGE) == 300.0


async def test_a_crawl_delay_is_cut_where_it_is_applied() -> None:
    web = Web({})
    fetches = subrequests(web, parse_robots(b"User-agent: *\nCrawl-delay: 86400", "Bot"))
    for n in range(2):
        await fetches.answer(PAGE, wanted(f"http://a.test/{n}"), allowance())
    assert web.slept == [10.0]


async def test_redirects_are_followed_by_the_same_rules() -> None:
    rules = parse_robots(b"User-agent: *\nDisallow: /no", "Bot")
    web = Web(
        {
            "http://a.test/1": Answer(302, b"", 0.1, location="/2"),
            "http://a.test/2": script(b"2"),
            "http://a.test/3": Answer(302, b"", 0.1, location="/no"),
            "http://a.test/4": Answer(302, b"", 0.1, location="/4"),
            "http://a.test/5": Answer(302, b"", 0.1),
        }
    )
    fetches = subrequests(web, rules)
    answers = [await fetches.answer(PAGE, wanted(f"http://a.test/{n}"), allowance()) for n in (1, 3, 4, 5)]
    assert [each.body for each in answers] == [b"2", b"", b"", b""]
    assert "http://a.test/no" not in web.asked


async def test_no_host_is_asked_for_two_things_at_once() -> None:
    web = Web({})
    fetches, given = subrequests(web), allowance()
    urls = [f"http://{host}.test/{n}" for host in "ab" for n in range(5)]
    await asyncio.gather(*(fetches.answer(PAGE, wanted(url), given) for url in urls))
    assert len(web.asked) == 10  # Web looks at the rest


async def test_other_hosts_rest_after_each_request() -> None:
    web = Web({})
    fetches = subrequests(web, delay_seconds=5.0)
    for url in ("http://a.test/1", "http://a.test/2"):
        await fetches.answer(PAGE, wanted(url), allowance())
    assert web.slept == []  # the page's own rests afterwards
    for url in ("http://b.test/1", "http://b.test/2"):
        await fetches.answer(PAGE, wanted(url), allowance())
    assert web.slept == [5.0]


async def test_a_failure_is_reported_by_its_kind() -> None:
    web, given = Web({"http://a.test/x": NoAnswer(OutcomeKind.FORBIDDEN_ADDRESS, "10.0.0.1", 0.0)}), allowance()
    await subrequests(web).answer(PAGE, wanted("http://a.test/x"), given)
    assert given.refusals == "some of its requests were refused: 1 forbidden_address"


async def test_no_more_than_the_allowance_is_fetched_however_it_is_asked_for() -> None:
    web, given = Web({"http://a.test/1": Answer(302, b"", 0.1, location="/2")}), allowance(requests=1)
    fetches = subrequests(web)
    await asyncio.gather(*(fetches.answer(PAGE, wanted("http://a.test/1"), given) for _ in range(5)))
    assert web.asked == ["http://a.test/1"]


async def test_style_sheets_are_empty_and_cost_no_request() -> None:
    web = Web({})
    given = await subrequests(web).answer(PAGE, wanted("http://a.test/x.css", "stylesheet"), allowance())
    assert (given.status, given.body, web.asked) == (200, b"", [])


async def test_only_the_web_is_asked() -> None:
    web = Web({})
    for url in ("ftp://a.test/x", "file:///etc/passwd", "chrome://version", "not a url"):
        given = await subrequests(web).answer(PAGE, wanted(url), allowance())
        assert given.status == 0
    assert web.asked == []
