"""Who visits which address, and who has to be asked before another may."""

from __future__ import annotations

from hinterland.crawler.cluster.address_book import AddressBook, AddressNotice

HERE, THERE = "192.0.2.1", "192.0.2.2"


def test_an_address_that_one_shard_asks_for_is_its_own_however_often_it_asks() -> None:
    book = AddressBook(0.25)
    for now in (0.0, 1.0):
        assert book.asked({0: [HERE], 1: [THERE]}, now) == {0: AddressNotice([HERE]), 1: AddressNotice([THERE])}


def test_another_shard_gets_an_address_after_its_owner_has_agreed_and_the_delay_is_over() -> None:
    book = AddressBook(0.25)
    book.asked({0: [HERE]}, 0.0)
    notice = book.asked({1: [HERE], 2: [HERE]}, 1.0)
    assert notice == {0: AddressNotice(shared=[HERE])}
    assert book.asked({1: [HERE]}, 2.0) == notice  # it has not answered
    book.confirmed(0, notice[0], 2.0)
    assert book.asked({1: [HERE], 2: [HERE]}, 2.2) == {}
    assert book.asked({1: [HERE], 2: [HERE]}, 2.5) == {1: AddressNotice(shared=[HERE]), 2: AddressNotice(shared=[HERE])}


def test_when_two_shards_ask_at_once_one_has_to_share_before_the_other_is_answered() -> None:
    book = AddressBook(0.25)
    notice = book.asked({0: [HERE], 1: [HERE]}, 0.0)
    assert notice == {0: AddressNotice(alone=[HERE], shared=[HERE])}
    book.confirmed(0, notice[0], 0.0)
    assert book.asked({0: [HERE], 1: [HERE]}, 0.5) == {0: AddressNotice(shared=[HERE]), 1: AddressNotice(shared=[HERE])}


def test_what_belonged_to_a_shard_that_has_ended_can_be_had_after_the_delay() -> None:
    book = AddressBook(0.25)
    book.asked({0: [HERE]}, 0.0)
    book.ended(0, 1.0)
    assert book.asked({1: [HERE]}, 1.1) == {}
    assert book.asked({1: [HERE]}, 1.5) == {1: AddressNotice(shared=[HERE])}
