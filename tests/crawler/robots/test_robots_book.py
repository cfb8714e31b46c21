"""The robots rules of many hosts: all remembered, few kept parsed."""

from __future__ import annotations

from crawler.robots.book import ParsedBounds, RobotsBook

FORBIDS_PRIVATE = b"User-agent: *\nDisallow: /private\n"
FORBIDS_US = b"User-agent: Hinterland\nDisallow: /\n\nUser-agent: *\nDisallow: /private\n"


USUAL = ParsedBounds()


def book(max_bytes: int = 500_000, bounds: ParsedBounds = USUAL) -> RobotsBook:
    return RobotsBook("Hinterland", max_bytes, bounds)


def test_each_host_has_its_own_rules() -> None:
    robots = book()
    robots.remember(0, FORBIDS_PRIVATE)
    robots.remember(1, FORBIDS_US)
    assert [robots.rules(host).allows("/private") for host in (0, 1)] == [False, False]
    assert [robots.rules(host).allows("/page") for host in (0, 1)] == [True, False]


def test_a_host_without_a_file_allows_all() -> None:
    robots = book()
    robots.remember(0, None)
    robots.remember(1, b"")
    assert all(robots.rules(host).allows("/private") for host in (0, 1, 2))


def test_a_new_file_replaces_the_old_one() -> None:
    robots = book()
    robots.remember(0, FORBIDS_US)
    assert not robots.rules(0).allows("/page")
    robots.remember(0, FORBIDS_PRIVATE)
    assert robots.rules(0).allows("/page")
    robots.remember(0, None)
    assert robots.rules(0).allows("/private")


def test_rules_are_parsed_once_and_those_used_last_stay_parsed() -> None:
    robots = book(bounds=ParsedBounds(texts=3))
    for host in range(5):
        robots.remember(host, FORBIDS_PRIVATE + b"Disallow: /%d" % host)
    first = [robots.rules(host) for host in range(3)]
    assert robots.rules(0) is first[0]
    robots.rules(3)  # puts out host 1, which was used before all others
    assert robots.rules(0) is first[0]
    assert robots.rules(2) is first[2]
    assert robots.rules(1) is not first[1]
    assert robots.rules(1) == first[1]


def test_hosts_with_the_same_file_share_its_rules() -> None:
    robots = book()
    for host in range(2):
        robots.remember(host, FORBIDS_PRIVATE)
    assert robots.rules(0) is robots.rules(1)


def test_a_large_file_takes_long_until_it_is_parsed() -> None:
    robots, text = book(), FORBIDS_PRIVATE + b"Disallow: /*a*b\n" * 10_000
    assert robots.takes_long(text)
    rules = robots.parse(text)
    robots.keep(text, rules)
    assert not robots.takes_long(text)
    assert robots.read(text) is rules
    assert not robots.takes_long(FORBIDS_PRIVATE)
    assert not robots.takes_long(None)


def test_of_files_with_many_rules_only_some_stay_parsed() -> None:
    robots = book(bounds=ParsedBounds(rules=70))
    texts = [FORBIDS_PRIVATE + b"Disallow: /%d\n" % n * 30 for n in range(3)]
    rules = [robots.read(text) for text in texts[:2]]
    assert robots.read(texts[0]) is rules[0]
    robots.keep(texts[0], rules[0])  # parsed twice meanwhile: it counts once
    assert [robots.read(text) for text in texts[:2]] == rules
    assert robots.read(texts[1]) is rules[1]
    robots.read(texts[2])  # puts out the one that was used before all others
    assert robots.read(texts[1]) is rules[1]
    assert robots.read(texts[0]) is not rules[0]


def test_a_file_stays_parsed_however_many_rules_it_has() -> None:
    robots, text = book(bounds=ParsedBounds(rules=20)), FORBIDS_PRIVATE + b"Disallow: /a\n" * 30
    assert robots.read(text) is robots.read(text)


def test_parsed_rules_of_a_crawl_do_not_hold_their_lines() -> None:
    assert [rule.line for rule in book().read(FORBIDS_PRIVATE).rules] == [None]


def test_a_file_is_read_as_far_as_settings_say() -> None:
    robots = book(max_bytes=500)
    robots.remember(0, b"#" * 600 + b"\n" + FORBIDS_PRIVATE)
    assert robots.rules(0).allows("/private")
    assert robots.parse(FORBIDS_PRIVATE).allows("/private") is False
