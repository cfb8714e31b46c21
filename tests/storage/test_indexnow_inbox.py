"""Notices that wait beside a store: bounded, of keys that hold, and none is lost or done twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.storage import indexnow_inbox
from hinterland.storage.indexnow_inbox import IndexNowInbox, TooManyNotices
from hinterland.storage.values.indexnow import KeyState, NoticeOutcome

HOST = "https://a.example"
DAY = 86_400.0


@pytest.fixture
def file(tmp_path: Path) -> IndexNowInbox:
    return IndexNowInbox.of(tmp_path / "site.db")


def taken(file: IndexNowInbox, *names: str, key: str = "key-one-1", now: float = 0.0, host: str = HOST) -> KeyState:
    return file.take(host, f"{host}/{key}.txt", key, [f"{host}/{name}" for name in names], now)


def waiting(file: IndexNowInbox, after: int = 0) -> list[str]:
    return [notice.url.removeprefix(f"{HOST}/") for notice in file.waiting(after)]


def test_notices_wait_until_their_key_is_found_good_and_end_once(file: IndexNowInbox) -> None:
    assert file.path.name == "site.notices"
    assert taken(file, "a", "b") is KeyState.UNCHECKED
    assert waiting(file) == []
    [key] = file.keys_to_check(0.0)
    assert (key.host, key.location) == (HOST, f"{HOST}/key-one-1.txt")
    file.checked(key.number, KeyState.GOOD, "", 1.0)
    assert file.keys_to_check(2.0) == []
    assert taken(file, "b", "c", now=3.0) is KeyState.GOOD
    first, *others = file.waiting(0)
    assert [waits.url for waits in (first, *others)] == [f"{HOST}/{name}" for name in ("a", "b", "c")]
    assert waiting(file, after=first.number) == ["b", "c"]
    taken(file, "c", now=4.0)
    file.ended([waits.number for waits in (first, *others)], NoticeOutcome.VISITED, 5.0)
    assert waiting(file) == ["c"], "it was said again before the look was over"
    shown, count = file.latest(10)
    assert count == 1
    assert [each.end for each in shown] == [None, NoticeOutcome.VISITED, NoticeOutcome.VISITED]


def test_a_bad_key_is_refused_for_a_day_and_a_good_one_checked_again_after_a_month(file: IndexNowInbox) -> None:
    taken(file, "a")
    [key] = file.keys_to_check(0.0)
    file.checked(key.number, KeyState.UNCHECKED, "the host does not answer", 0.0)
    assert file.keys_to_check(60.0) == []
    assert len(file.keys_to_check(3_600.0)) == 1
    file.checked(key.number, KeyState.BAD, "not there", 0.0)
    assert file.latest(1)[0][0].end is NoticeOutcome.REFUSED
    assert taken(file, "b", now=DAY - 1) is KeyState.BAD
    assert file.latest(5)[1] == 0
    assert taken(file, "b", now=DAY) is KeyState.UNCHECKED
    file.checked(key.number, KeyState.GOOD, "", DAY)
    assert file.keys_to_check(30 * DAY) == []
    assert len(file.keys_to_check(31 * DAY)) == 1


def test_waiting_notices_are_bounded_and_an_excessive_one_is_refused_as_a_whole(
    file: IndexNowInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, bound in (("MOST_OF_A_KEY", 3), ("MOST_UNCHECKED", 5), ("MOST_WAITING", 7), ("_KEPT", 2)):
        monkeypatch.setattr(indexnow_inbox, name, bound)
    taken(file, "a", "b", "c")
    taken(file, "a", "b", "c")
    with pytest.raises(TooManyNotices, match="with this key"):
        taken(file, "d")
    taken(file, "d", "e", key="key-two-2")
    with pytest.raises(TooManyNotices, match="to be checked"):
        taken(file, "f", key="key-two-2")
    for key in file.keys_to_check(0.0):
        file.checked(key.number, KeyState.GOOD, "", 0.0)
    taken(file, "x", "y", host="https://b.example")
    with pytest.raises(TooManyNotices, match="are waiting to be visited"):
        taken(file, "z", host="https://b.example")
    for number in range(indexnow_inbox.MOST_KEYS_OF_A_HOST):
        taken(file, key=f"another-key-{number}")
    with pytest.raises(TooManyNotices, match="keys of"):
        taken(file, key="another-key-too-many")
    assert file.latest(100)[1] == 7
    file.ended([waits.number for waits in file.waiting(0)], NoticeOutcome.VISITED, 1.0)
    taken(file, "z", now=91 * DAY)
    assert len(file.latest(100)[0]) == 3, "two that are over are kept, and one that waits for 90 days is not"
