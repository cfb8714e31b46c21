"""What sites write about the use of their pages is read as the drafts and specifications say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.usage.robots_usage import RobotsUsage
from hinterland.crawler.features.usage.statements import (
    content_signal,
    content_usage,
    robots_words,
    tdm_reservation,
)
from hinterland.crawler.fetching.robots.rules import parse_robots
from hinterland.storage.values.uses import Use, combined

SEARCH, AI_INPUT, TRAIN = Use.SEARCH, Use.AI_INPUT, Use.TRAIN_AI


def said(robots: str, path: str, agent: str = "hinterland") -> dict[Use, bool]:
    """What a robots.txt says to an agent about a path."""
    rules = parse_robots(robots.encode(), agent)
    return combined(statement.allowed for statement in RobotsUsage(rules.usage).of(path))


# --- Content-Usage: the examples of draft-ietf-aipref-vocab ---------------------------------------


@pytest.mark.parametrize(
    "value, expected",
    [
        ("train-ai=n", {TRAIN: False}),
        ("train-ai=y, search=n", {TRAIN: True, SEARCH: False}),
        ("ai-use=n, search=y", {AI_INPUT: False, SEARCH: True}),
        ('train-ai=y, train-ai, search=n, search="n"', {}),  # the last of equal keys counts, and is no token
        ("train-ai;allow=n, train-ai=y", {TRAIN: True}),
        ('train-ai;has;parameters="?";', {}),
        ('train-ai;has;parameters="?"', {}),
        ("train-ai=n;until=@1735689600", {TRAIN: False}),  # unknown parameters are ignored
        ("future-use=n, train-ai=n", {TRAIN: False}),  # so are unknown labels
        ("Train-AI=n", {}),  # keys are case-sensitive: this cannot be parsed
        ("train-ai=N", {}),
        ("train-ai=yes", {}),
        ("train-ai=?0", {}),  # a Boolean, not a token
        ("train-ai=n,", {}),
        ("train-ai=n search=y", {}),
        ("train-ai=(n)", {}),
        ("", {}),
        ("träin-ai=n", {}),
    ],
)
def test_content_usage_is_a_dictionary_of_tokens_and_anything_else_says_nothing(
    value: str, expected: dict[Use, bool]
) -> None:
    assert content_usage(value) == expected


@given(st.text(max_size=40))
def test_no_text_is_an_error(value: str) -> None:
    for read in (content_usage, content_signal, robots_words, tdm_reservation):
        assert set(read(value)) <= set(Use)


# --- Content-Signal, noai, TDM reservation --------------------------------------------------------


@pytest.mark.parametrize(
    "value, expected",
    [
        ("search=yes, ai-train=no", {SEARCH: True, TRAIN: False}),
        ("ai-train=no,search=yes,ai-input=no", {SEARCH: True, TRAIN: False, AI_INPUT: False}),
        (" Search = YES ,AI-Train=No", {SEARCH: True, TRAIN: False}),
        ("ai-train=yes, ai-train=no", {TRAIN: False}),
        ("ai-train=perhaps", {}),
        ("use=immediate", {}),
        ("search", {}),
    ],
)
def test_content_signal_is_a_list_of_yes_and_no(value: str, expected: dict[Use, bool]) -> None:
    assert content_signal(value) == expected


@pytest.mark.parametrize(
    "value, expected",
    [
        ("noai", {TRAIN: False}),
        ("noai, noimageai", {TRAIN: False}),
        ("index, follow, NoAI", {TRAIN: False}),
        ("otherbot: noai", {TRAIN: False}),
        ("noimageai", {}),  # about the images of the page, which are not fetched
        ("noindex", {}),
        ("unavailable_after: 2026-01-01", {}),
    ],
)
def test_noai_refuses_training_whoever_it_is_addressed_to(value: str, expected: dict[Use, bool]) -> None:
    assert robots_words(value) == expected


@pytest.mark.parametrize("value, expected", [("1", {TRAIN: False}), (" 1 ", {TRAIN: False}), ("0", {}), ("yes", {})])
def test_a_tdm_reservation_refuses_training_and_its_absence_allows_nothing(
    value: str, expected: dict[Use, bool]
) -> None:
    assert tdm_reservation(value) == expected


# --- several statements ---------------------------------------------------------------------------


@given(st.lists(st.dictionaries(st.sampled_from(Use), st.booleans())))
def test_a_use_is_allowed_only_if_one_statement_allows_it_and_none_disallows_it(
    statements: list[dict[Use, bool]],
) -> None:
    found = combined(statements)
    for use in Use:
        named = [each[use] for each in statements if use in each]
        assert found.get(use) == (all(named) if named else None)


# --- robots.txt: the examples of draft-ietf-aipref-attach, and its rules --------------------------

EXAMPLE = """\
User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
"""


@pytest.mark.parametrize(
    "path, agent, expected",
    [
        ("/test", "hinterland", {TRAIN: False}),
        ("/ai-ok/test", "hinterland", {TRAIN: True}),
        ("/ai-ok", "hinterland", {TRAIN: False}),
        ("/test", "ExampleBot", {TRAIN: True}),
    ],
)
def test_the_longest_matching_path_of_the_crawlers_own_group_decides(
    path: str, agent: str, expected: dict[Use, bool]
) -> None:
    assert said(EXAMPLE, path, agent) == expected
    with_paths = EXAMPLE.replace("Content-Usage: train", "Content-Usage: / train")  # as later drafts write it
    assert said(with_paths, path, agent) == expected


def test_paths_match_like_those_of_allow_and_disallow() -> None:
    robots = (
        "User-agent: *\n"
        "Content-Usage: /*.pdf$ train-ai=n\n"
        "Content-Usage: /m%C3%BCller/\ttrain-ai=n, search=n\n"
        "Content-Usage: /q?a=* search=n\n"
    )
    assert said(robots, "/a/b.pdf") == {TRAIN: False}
    assert said(robots, "/a/b.pdf?x") == {}
    assert said(robots, "/m%C3%BCller/x") == {TRAIN: False, SEARCH: False}
    assert said(robots, "/q?a=1") == {SEARCH: False}
    assert said(robots, "/other") == {}


def test_an_encoded_wildcard_is_a_character() -> None:
    robots = "User-agent: *\nContent-Usage: /foo-%24 train-ai=n\nContent-Usage: /%2a/x search=n\n"
    assert said(robots, "/foo-$") == said(robots, "/foo-$100") == {TRAIN: False}
    assert said(robots, "/foo-") == said(robots, "/any/x") == {}
    assert said(robots, "/*/x") == {SEARCH: False}


def test_lines_with_the_same_path_combine_and_the_more_restrictive_counts() -> None:
    robots = "User-agent: *\nContent-Usage: /a train-ai=y\nContent-Usage: /%61 train-ai=n, search=y\n"
    assert said(robots, "/a") == {TRAIN: False, SEARCH: True}


def test_content_usage_and_content_signal_combine() -> None:
    robots = "User-agent: *\nContent-Signal: search=yes, ai-train=yes, ai-input=no\nContent-Usage: train-ai=n\n"
    assert said(robots, "/") == {SEARCH: True, AI_INPUT: False, TRAIN: False}


def test_labels_and_spaces_are_read_leniently_and_comments_are_not() -> None:
    robots = "user-agent:*\n \tCONTENT-USAGE \t:\ttrain-ai=n # search=n\n"
    assert said(robots, "/") == {TRAIN: False}


def test_a_line_speaks_to_the_names_directly_above_it() -> None:
    robots = (
        "User-agent: hinterland\nContent-Usage: train-ai=n\n"
        "User-agent: other\nContent-Usage: train-ai=y\nDisallow: /x\n"
    )
    assert said(robots, "/") == {TRAIN: False}
    assert said(robots, "/", "other") == {TRAIN: True}
    assert not parse_robots(robots.encode(), "hinterland").allows("/x"), "RFC 9309 alone forbids it"


def test_names_in_sequence_share_the_lines_below() -> None:
    robots = "User-agent: hinterland\nUser-agent: other\nAllow: /\nContent-Signal: ai-train=no\n"
    assert said(robots, "/") == said(robots, "/", "other") == {TRAIN: False}


def test_without_a_group_for_the_crawler_nothing_is_said() -> None:
    assert said("User-agent: other\nContent-Usage: train-ai=n\n", "/") == {}
    assert said("Content-Usage: train-ai=n\n", "/") == {}
