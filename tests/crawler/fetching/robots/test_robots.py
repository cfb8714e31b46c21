from __future__ import annotations

import itertools
from functools import cache
from typing import SupportsIndex
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hinterland.crawler.fetching.robots.matching import RobotsRule, RuleIndex, normal_form, with_decoded_query
from hinterland.crawler.fetching.robots.rules import (
    ALLOW_ALL,
    DISALLOW_ALL,
    MAX_BYTES,
    RobotsAvailability,
    RobotsRules,
    RobotsVerdict,
    availability,
    is_product_token,
    parse_robots,
    robots_url,
)

pytestmark = pytest.mark.slow

AGENT = "Hinterland"


def rules_for_everyone(*lines: str) -> RobotsRules:
    return parse_robots("\n".join(("User-agent: *", *lines)).encode(), AGENT)


# --- which lines are ours ---


def test_without_a_group_for_us_everything_is_allowed() -> None:
    rules = parse_robots(b"User-agent: other\nDisallow: /\n", AGENT)
    assert rules.allows("/a")
    assert rules.is_empty
    assert rules.group is None


def test_our_own_group_replaces_the_one_for_everyone_even_if_it_is_empty() -> None:
    rules = parse_robots(b"User-agent: *\nDisallow: /\nUser-agent: hinterland\n", AGENT)
    assert rules.allows("/a")
    assert rules.group == "hinterland"


@pytest.mark.parametrize(
    "line",
    [
        b"User-agent: Hinterland",
        b"USER-AGENT:hINTERLAND",
        b"user-agent : Hinterland/1.2",
        b"User-agent: Hinterland crawler # the polite one",
        b"User-agent: Hinterland*",
        b"Useragent: Hinterland",
        b"User-agent Hinterland",
        b"\xef\xbb\xbfUser-agent: Hinterland",
        b"\xff\xfeU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0H\0i\0n\0t\0e\0r\0l\0a\0n\0d\0",
        b"User-\0agent: Hinterland",
        b"\t User-agent:\xc2\xa0Hinterland",
    ],
)
@pytest.mark.parametrize("line_end", [b"\n", b"\r", b"\r\n"])
def test_a_group_is_ours_however_our_name_is_written(line: bytes, line_end: bytes) -> None:
    rules = parse_robots(line + line_end + b"Disallow: /a" + line_end, AGENT)
    assert rules.group == "hinterland"
    assert not rules.allows("/a")


@pytest.mark.parametrize("name", ["Hinter", "Hinterlands", "Hinterland-Image", "The Hinterland", ""])
def test_a_longer_or_shorter_name_is_not_ours(name: str) -> None:
    assert parse_robots(f"User-agent: {name}\nDisallow: /".encode(), AGENT).allows("/a")


@pytest.mark.parametrize("between", ["", "Sitemap: /s.xml", "Crawl-delay: 2", "Noindex: /x", "<br>", "# no"])
def test_nothing_but_a_rule_ends_a_run_of_names(between: str) -> None:
    text = f"User-agent: hinterland\n{between}\nUser-agent: other\nDisallow: /a\n"
    assert not parse_robots(text.encode(), AGENT).allows("/a")


def test_a_rule_ends_a_run_of_names_even_if_it_is_empty() -> None:
    assert parse_robots(b"User-agent: hinterland\nDisallow:\nUser-agent: other\nDisallow: /a", AGENT).is_empty


def test_groups_of_the_same_name_are_merged_in_any_order() -> None:
    groups = [
        "User-agent: hinterland\nDisallow: /a\n",
        "User-agent: x\nUser-agent: Hinterland/2\nAllow: /a/b\nCrawl-delay: 3\n",
        "User-agent: *\nDisallow: /\nCrawl-delay: 9\n",
        "User-agent: HINTERLAND\nDisallow: /a/b/c$\nCrawl-delay: 2\n",
    ]
    for order in itertools.permutations(groups):
        rules = parse_robots("".join(order).encode(), AGENT)
        allowed = [rules.allows(path) for path in ("/", "/a", "/a/b", "/a/b/c", "/a/b/cd")]
        assert allowed == [True, False, True, False, True]
        assert rules.crawl_delay == 3.0


def test_rules_before_the_first_name_are_nobodys() -> None:
    assert parse_robots(b"Disallow: /\nUser-agent: *\nDisallow: /a", AGENT).allows("/b")


@pytest.mark.parametrize("agent", ["Hinterland/0.1", "hinterland", "Hinterland/0.1 (+https://a.example)"])
def test_of_our_own_name_only_the_first_word_counts(agent: str) -> None:
    assert not parse_robots(b"User-agent: Hinterland\nDisallow: /", agent).allows("/a")


@pytest.mark.parametrize("agent", ["", " ", "/", "*", "Hinterland2"])
def test_a_name_no_file_can_address_gets_what_is_for_everyone(agent: str) -> None:
    body = b"User-agent: \nDisallow: /a\nUser-agent: *\nDisallow: /b\nUser-agent: Hinterland2\nDisallow: /c"
    rules = parse_robots(body, agent)
    assert rules.group == "*"
    assert [rules.allows(path) for path in ("/a", "/b", "/c")] == [True, False, True]


def test_product_tokens_are_letters_hyphens_and_underscores() -> None:
    assert all(map(is_product_token, ("Hinterland", "a-b_C")))
    assert not any(map(is_product_token, ("", "bot2", "a b", "a/1", "*", "bot\n")))


# --- which rule decides ---


@pytest.mark.parametrize(
    "pattern, matching, others",
    [
        ("/a", ["/a", "/ab", "/a/b", "/a?b"], ["/", "/A", "/b/a"]),
        ("/", ["/", "/a"], []),
        ("*", ["/", "/a"], []),
        ("/a$", ["/a"], ["/", "/ab", "/a?b"]),
        ("/$", ["/"], ["/a", "/?a"]),
        ("/a*$", ["/a", "/ab"], ["/b"]),
        ("/*.gif$", ["/.gif", "/a.gif", "/a.gif.gif"], ["/a.gif?b", "/gif"]),
        ("*.gif$", ["/a.gif"], ["/a.gifs"]),
        ("/a*b*c", ["/abc", "/a-b-c-d"], ["/acb", "/ab"]),
        ("/ab*bc$", ["/abbc", "/ab-bc"], ["/abc"]),
        ("/a*aa*a$", ["/aaaa", "/aaaaa"], ["/aaa"]),
        ("/a**b", ["/ab"], ["/a"]),
        ("/a$b", ["/a$bc", "/a%24b"], ["/a", "/ab"]),
        ("/a$$", ["/a$", "/a%24"], ["/a", "/a$$"]),
        ("/a%2Ab", ["/a*b", "/a%2ab"], ["/ab", "/axb"]),
        ("/a%24", ["/a$b", "/a%24"], ["/a"]),
        ("/%62%61z", ["/baz", "/b%61z"], ["/%2562"]),
        ("/a%2fb", ["/a%2Fb", "/a%2fb"], ["/a/b"]),
        ("/a/b", ["/a/b"], ["/a%2Fb"]),
        ("/ü", ["/%C3%BC", "/%c3%bc", "/ü"], ["/%FC"]),
        ("/a<b", ["/a%3Cb", "/a%3cb", "/a<b"], ["/ab"]),
        ("/a b", ["/a%20b"], ["/a+b"]),
        ("/?q='", ["/?q='a", "/?q=%27a"], ["/?q=a"]),
        ("/%a%a", ["/%a%a"], ["/%A%A"]),
        ("/a?", ["/a?", "/a?b"], ["/a"]),
    ],
)
def test_a_pattern_matches_what_the_standard_says(pattern: str, matching: list[str], others: list[str]) -> None:
    rules = rules_for_everyone(f"Disallow: {pattern}")
    assert {path: rules.allows(path) for path in matching} == dict.fromkeys(matching, False)
    assert {path: rules.allows(path) for path in others} == dict.fromkeys(others, True)


def test_octets_that_are_not_utf_8_match_their_encoding() -> None:
    assert not parse_robots(b"User-agent: *\nDisallow: /b\xfccher", AGENT).allows("/b%FCcher")


@pytest.mark.parametrize(
    "lines, path, allowed",
    [
        (("Disallow: /a", "Allow: /a/b"), "/a/b", True),
        (("Allow: /a", "Disallow: /a/b"), "/a/b", False),
        (("Disallow: /a", "Allow: /a"), "/a", True),
        (("Allow: /page", "Disallow: /*.htm"), "/page.htm", False),
        (("Allow: /page", "Disallow: /*.ht"), "/page.htm", True),
        (("Disallow: /", "Allow: /$"), "/", True),
        (("Disallow: /", "Allow: /$"), "/a", False),
        (("Disallow: /a*", "Allow: /a"), "/a", False),
        (("Allow: /ab", "Disallow: /a****"), "/ab", True),
        (("Disallow: /%61%62", "Allow: /abc"), "/abc", True),
        (("Disallow: /%61%62%63", "Allow: /abcd"), "/abcd", True),
        (("Disallow:", "Allow:"), "/a", True),
        (("Dissallow: /a",), "/a", False),
        (("Disallow /a",), "/a", False),
        (("Disallow /a /b",), "/a", True),
        (("Disallow: a", "Disallow: https://a.example/a"), "/a", True),
        (("Disallow: /a#b",), "/a", False),
    ],
)
def test_the_longest_pattern_decides_and_allow_wins_a_tie(lines: tuple[str, ...], path: str, allowed: bool) -> None:
    assert rules_for_everyone(*lines).allows(path) is allowed
    assert rules_for_everyone(*reversed(lines)).allows(path) is allowed


def test_robots_txt_itself_is_always_allowed() -> None:
    assert DISALLOW_ALL.allows("/robots.txt")
    assert not DISALLOW_ALL.allows("/robots.txt?a")
    assert rules_for_everyone("Disallow: /").verdict("/robots.txt") == RobotsVerdict(True, None, None, "*")


def test_a_verdict_shows_the_line_that_decides() -> None:
    body = b"# hello\r\n\r\nUser-agent: *\r\n  Disallow: /\xc3\xbc\xff # why\r\rAllow: /*.css$"
    rules = parse_robots(body, AGENT)
    assert rules.verdict("/%C3%BC%FF/a") == RobotsVerdict(False, 4, "Disallow: /ü\ufffd # why", "*")
    assert rules.verdict("/a.css") == RobotsVerdict(True, 6, "Allow: /*.css$", "*")
    assert rules.verdict("/a") == RobotsVerdict(True, None, None, "*")


def test_of_equal_lines_the_first_is_shown() -> None:
    assert rules_for_everyone("Disallow: /a", "Disallow: /%61").verdict("/a").line_number == 2


def test_constants_allow_everything_and_nothing() -> None:
    assert ALLOW_ALL.is_empty
    assert ALLOW_ALL.allows("/a")
    assert not DISALLOW_ALL.is_empty
    assert not DISALLOW_ALL.allows("/")
    assert DISALLOW_ALL.verdict("/a") == RobotsVerdict(False, None, None, None)


# --- the rest of the file ---


@pytest.mark.parametrize(
    "value, seconds",
    [("10", 10.0), ("0.5", 0.5), (".5", 0.5), ("2.", 2.0), ("0", 0.0), ("1 # slow", 1.0)]
    + [(bad, None) for bad in ("-1", "nan", "inf", "1e3", "1_0", "9" * 400, "a", "10a", "1,5", "", "٣")],
)
def test_a_crawl_delay_is_a_plain_number_of_seconds(value: str, seconds: float | None) -> None:
    assert rules_for_everyone(f"Crawl-delay: {value}").crawl_delay == seconds


@pytest.mark.parametrize("line, granted", [("Crawl-delay: 500", 300.0), ("Crawl-delay: 3", 3.0), ("", None)])
def test_a_crawl_delay_is_granted_up_to_a_limit(line: str, granted: float | None) -> None:
    assert rules_for_everyone(line).granted_delay(300.0) == granted


def test_a_crawl_delay_is_for_the_names_right_above_it() -> None:
    body = (
        b"User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 2\nUser-agent: c\nDisallow: /x\n"
        b"User-agent: d\nUser-agent: e\nCrawl-delay: 4\n"
    )
    delays = [parse_robots(body, agent).crawl_delay for agent in "abcdef"]
    assert delays == [1.0, 2.0, None, 4.0, 4.0, None]
    assert not parse_robots(body, "a").allows("/x")


def test_our_own_group_does_not_inherit_the_crawl_delay_for_everyone() -> None:
    body = b"User-agent: *\nCrawl-delay: 5\nUser-agent: hinterland\nDisallow: /a"
    assert parse_robots(body, AGENT).crawl_delay is None


def test_sitemaps_come_from_the_whole_file() -> None:
    body = b"Sitemap: /a.xml\nUser-agent: x\nDisallow: /\nSITEMAP : https://a.example/B.xml \nSitemap:\n"
    assert parse_robots(body, AGENT).sitemaps == ("/a.xml", "https://a.example/B.xml")


@pytest.mark.parametrize("cut, allowed", [(0, True), (1, True), (-1, False), (-2, True)])
def test_only_whole_lines_of_the_first_bytes_are_read(cut: int, allowed: bool) -> None:
    body = b"User-agent: *\nDisallow: /abc\n"
    rules = parse_robots(body, AGENT, max_bytes=(len(body) + cut) if cut < 0 else cut)
    assert rules.allows("/abc") is allowed
    assert rules.allows("/ab")


def test_the_first_512000_bytes_at_least_are_read() -> None:
    body = b"User-agent: *\n#".ljust(511_980, b"x") + b"\nDisallow: /a\n"
    assert len(body) < 512_000 < MAX_BYTES
    assert not parse_robots(body + b"#".ljust(10**6, b"x"), AGENT).allows("/a")


# --- what a status means ---


@pytest.mark.parametrize(
    "statuses, meaning",
    [
        ((200, 204, 206), RobotsAvailability.AVAILABLE),
        ((301, 304, 399, 400, 401, 403, 404, 410, 451), RobotsAvailability.UNAVAILABLE),
        ((None, 429, 500, 503, 599, 0, 100, 600, 999), RobotsAvailability.UNREACHABLE),
    ],
)
def test_what_a_status_means(statuses: tuple[int | None, ...], meaning: RobotsAvailability) -> None:
    assert {availability(status) for status in statuses} == {meaning}


def test_robots_txt_lives_at_the_root_of_its_host() -> None:
    assert robots_url("https://a.example:8443") == "https://a.example:8443/robots.txt"


# --- in general ---

LINES = st.lists(
    st.sampled_from(
        (
            *("User-agent: *", "User-agent: hinterland", "user-agent: x", "Disallow: /a", "Disallow /b"),
            *("Disallow:", "Allow: /*a$", "Crawl-delay: 1", "Crawl-delay: -", "Sitemap: /s", "#", ""),
            *(":", "\ufeff", "a b", "Disallow"),
        )
    )
)


@given(st.binary() | LINES.map("\n".join).map(str.encode), st.text(), st.text(), st.integers(0, 50))
@example(b"User-agent: *\nDisallow: /%\xed\xa0\x80*\xff$", "*", "/%\ud800", 50)
def test_no_bytes_no_name_and_no_path_raise(body: bytes, agent: str, path: str, max_bytes: int) -> None:
    for rules in (parse_robots(body, agent), parse_robots(body, agent, max_bytes=max_bytes)):
        assert rules.verdict(path).allowed is rules.allows(path)


@given(st.text("%2F4a*", max_size=12))
def test_a_normal_form_stays_as_it_is(text: str) -> None:
    assert normal_form(normal_form(text)) == normal_form(text)


@given(st.text("%2F?4a&3D*", max_size=14))
def test_a_normal_form_with_a_query_stays_as_it_is(text: str) -> None:
    decoded = with_decoded_query(normal_form(text))
    assert with_decoded_query(decoded) == normal_form(decoded) == decoded


@pytest.mark.parametrize(
    "rule, path, is_allowed",
    [
        # the examples of RFC 9309, section 2.2.2
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz", False),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", False),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar", False),
        ("/foo/bar?baz=https%3a%2f%2ffoo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", False),
        ("/foo/bar/\u30c4", "/foo/bar/%E3%83%84", False),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", False),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", False),
        # what divides stays what it is
        ("/a%2Fb", "/a/b", True),
        ("/a/b", "/a%2Fb", True),
        ("/a?b=c%26d", "/a?b=c&d", True),
        ("/a?b%3Dc", "/a?b=c", True),
        ("/a%3Fb", "/a?b", True),
        ("/a?b=%252F", "/a?b=%2F", True),
        # patterns
        ("/*?u=https://", "/go?u=https%3A%2F%2Fb.test", False),
        ("/*?u=https%3A%2F%2F*x$", "/go?u=https://b.test/x", False),
        ("/go?*u=http%3A//", "/go?a=b&u=http:%2F%2Fx", False),
        ("/*http://", "/go?u=http%3A%2F%2Fx", False),
        ("/*%2Fadmin", "/go?next=%2Fadmin", False),
        ("/*a*b*%2Fc", "/xa?b=%2Fc", False),
        ("/*%2Fadmin", "/x%2Fadmin", False),
        ("/*%2Fadmin", "/x/admin", True),
        ("/*/admin", "/x%2Fadmin", True),
        ("/go?u=%2F$", "/go?u=/", False),
    ],
)
def test_reserved_characters_in_a_query_may_be_encoded_or_not_and_in_a_path_they_differ(
    rule: str, path: str, is_allowed: bool
) -> None:
    assert rules_for_everyone(f"Disallow: {rule}").allows(path) is is_allowed


def test_rules_that_are_spelt_differently_are_equally_long() -> None:
    rules = rules_for_everyone("Allow: /a?u=https%3A%2F%2Fb", "Disallow: /a?u=https://b")
    assert rules.allows("/a?u=https://b/c")


def matches(pattern: str, path: str) -> bool:
    """Straight from section 2.2.3, in exponential time."""
    if not pattern:
        return True
    if pattern == "$":
        return not path
    if pattern[0] == "*":
        return matches(pattern[1:], path) or (bool(path) and matches(pattern, path[1:]))
    return path[:1] == pattern[0] and matches(pattern[1:], path[1:])


def collapsed(pattern: str) -> str:
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    return pattern


@cache
def all_paths() -> list[str]:
    return ["/" + "".join(letters) for size in range(5) for letters in itertools.product("ab$", repeat=size)]


RULES = st.lists(st.builds(RobotsRule, st.booleans(), st.text("ab*$", max_size=6).map("/".__add__)), max_size=8)


@given(RULES)
def test_the_index_decides_as_a_plain_reading_of_the_rfc_does(rules: list[RobotsRule]) -> None:
    index = RuleIndex(rules)
    by_precedence = sorted(rules, key=lambda rule: (len(collapsed(rule.pattern)), rule.allow), reverse=True)
    for path in all_paths():
        expected = next((rule.allow for rule in by_precedence if matches(rule.pattern, path)), True)
        assert index.deciding(path).allow is expected, path


@given(RULES)
def test_where_patterns_are_many_those_that_cannot_match_are_passed_over_and_no_others(rules: list[RobotsRule]) -> None:
    usual = RuleIndex(rules)
    with patch("hinterland.crawler.fetching.robots.matching._MANY", 0):
        keyed = RuleIndex(rules)
    for path in all_paths():
        assert keyed.deciding(path) == usual.deciding(path), path


@given(RULES, st.data())
def test_the_order_of_the_rules_does_not_matter(rules: list[RobotsRule], data: st.DataObject) -> None:
    shuffled = RuleIndex(data.draw(st.permutations(rules)))
    index = RuleIndex(rules)
    for path in all_paths():
        assert shuffled.deciding(path).allow is index.deciding(path).allow


# --- hostile files: the work is counted, not timed ---


class CountingPath(str):
    """A path that counts the searches in it, each of which costs at most its length times the pattern's."""

    __slots__ = ("searches",)

    def __init__(self, _text: str) -> None:
        self.searches = 0

    def __contains__(self, text: object) -> bool:
        self.searches += 1
        return isinstance(text, str) and super().__contains__(text)

    def find(self, text: str, /, *bounds: SupportsIndex | None) -> int:
        self.searches += 1
        return super().find(text, *bounds)

    def startswith(self, text: str | tuple[str, ...], /, *bounds: SupportsIndex | None) -> bool:
        self.searches += 1
        return super().startswith(text, *bounds)


def searches(rules: RobotsRules, path: str) -> int:
    counting = CountingPath(path)
    rules.allows(counting)
    return counting.searches


@pytest.mark.parametrize("tail", ["", "$", "b", "b$", "*"])
def test_a_pattern_of_a_thousand_stars_takes_a_thousand_steps(tail: str) -> None:
    pattern = "/" + "*a" * 1000 + tail
    assert searches(rules_for_everyone(f"Disallow: {pattern}"), "/" + "a" * 2000) < 1010


def test_a_file_full_of_stars_takes_no_more_steps_than_it_has_stars() -> None:
    lines = [f"Disallow: /{'*a' * stars}*b{stars}" for stars in range(600)]
    path = "/" + "a" * 700 + "".join(f"b{stars}" for stars in range(600, 0, -1))[:5] + "a" * 700
    assert searches(rules_for_everyone(*lines), path) < "".join(lines).count("*") + 10 * len(lines)


def test_a_miss_costs_one_step_per_wildcard() -> None:
    lines = [f"Disallow: /*a*a*a*a{number}" for number in range(1000)]
    assert searches(rules_for_everyone(*lines), "/" + "a" * 500) <= 1010


def test_of_thousands_of_patterns_those_that_cannot_match_cost_nothing() -> None:
    rules = rules_for_everyone(*(f"Disallow: /*a{number}*b" for number in range(25_000)))
    assert searches(rules, "/" + "a1b2c3" * 330) < 10
    assert not rules.allows("/" + "xyz" * 600 + "a12345b")


def test_a_path_that_takes_too_long_to_judge_is_not_fetched_and_says_why() -> None:
    words = ["".join(letters) for letters in itertools.product("abcdefgh", repeat=4)]
    rules = rules_for_everyone(*(f"Allow: /{'*'.join(('', *word))}*Z" for word in words), "Disallow: /private")
    hostile = "/" + "abcdefgh" * 2000
    assert searches(rules, hostile) < 10 * len(words)
    assert not rules.allows(hostile)
    assert "take too long" in rules.doubt(hostile)
    assert rules.verdict(hostile).line is not None
    assert rules.allows("/page")
    assert rules.doubt("/page") == rules.doubt("/private") == ""


def test_one_endless_pattern_takes_too_long_as_well() -> None:
    rules = rules_for_everyone("Disallow: /" + "*a" * 260_000)
    path = "/" + "a" * 65_000
    assert searches(rules, path) < 10
    assert rules.doubt(path)


def test_plain_rules_cost_next_to_nothing_however_many_there_are() -> None:
    rules = rules_for_everyone(*(f"Disallow: /{number}/" for number in range(20_000)))
    assert searches(rules, "/9999/a") < 10
    assert searches(rules, "/zzz") < 10


def test_nested_rules_cost_at_most_their_depth() -> None:
    lines = [f"Disallow: /b{'a' * depth}" for depth in range(1000)]
    assert searches(rules_for_everyone(*lines), "/c") < 1010
