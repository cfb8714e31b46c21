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


def test_of_large_files_only_some_stay_parsed() -> None:
    robots = book(bounds=ParsedBounds(large=100, bytes_of_large=700))
    small = FORBIDS_PRIVATE
    large = [FORBIDS_PRIVATE + b"#" * 300 + b"%d" % n for n in range(3)]
    rules = [robots.read(text) for text in (small, *large[:2])]
    assert robots.read(large[0]) is rules[1]
    robots.keep(large[0], rules[1])  # parsed twice meanwhile: it counts once
    assert not any(map(robots.takes_long, large[:2]))
    robots.read(large[2])  # puts out the one that was used before all others
    assert [robots.takes_long(text) for text in large] == [False, True, False]
    assert robots.read(small) is rules[0]


def test_the_largest_file_stays_parsed_however_large_it_is() -> None:
    robots, text = book(bounds=ParsedBounds(large=100, bytes_of_large=200)), FORBIDS_PRIVATE + b"#" * 300
    assert robots.read(text) is robots.read(text)


def test_a_file_is_read_as_far_as_settings_say() -> None:
    robots = book(max_bytes=500)
    robots.remember(0, b"#" * 600 + b"\n" + FORBIDS_PRIVATE)
    assert robots.rules(0).allows("/private")
    assert robots.parse(FORBIDS_PRIVATE).allows("/private") is False
