"""Which documents a store has, and what is in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from hinterland.search.documents import SearchDocument
from hinterland.search.index.corpus import MOST_ANCHORS, Corpus
from hinterland.search.index.index_plan import IndexPlan
from hinterland.search.store.document_store import document_store
from tests.support.stored_pages import Link, Page, essay, visit_again, write_store

pytestmark = pytest.mark.slow


def planned(
    folder: Path, *, with_outside: bool = False, left_out: Iterable[tuple[int, int]] = ()
) -> tuple[IndexPlan, dict[int, SearchDocument]]:
    with document_store(folder / "documents.db", folder / "store.db") as documents:
        corpus = Corpus(documents, with_outside=with_outside, left_out=left_out)
        plan = corpus.plan()
        return plan, {each.page: each for each in corpus.documents(plan.pages.tolist())}


def documents_of(folder: Path, pages: Sequence[Page]) -> tuple[IndexPlan, dict[int, SearchDocument]]:
    write_store(folder / "store.db", pages)
    return planned(folder)


def page(number: int, *links: Link, host: int = 0) -> Page:
    return Page(essay(number), f"Title {chr(97 + number % 26)}", links, host)


def test_a_document_has_what_the_store_says_of_its_page(tmp_path: Path) -> None:
    _, documents = documents_of(tmp_path, [Page("Ferries leave at eight", "Timetable")])
    found = documents[0]
    assert (found.url, found.host, found.site) == ("http://a.test/0", "http://a.test", "a.test")
    assert (found.title, found.headings, found.language) == ("Timetable", "Heading", "en")
    assert found.body == found.full_text == "Ferries leave at eight"
    assert not found.copies
    assert not found.anchors_inside
    assert not found.anchors_outside


def test_what_is_no_page_or_not_of_the_domain_is_left_out(tmp_path: Path) -> None:
    pages = [
        page(0),
        Page(outcome="other_type"),
        Page(outcome="client_error"),
        Page(essay(3), is_local=False),
        Page(essay(4), is_noindex=True),
        Page(outcome="redirected", redirect=2),
    ]
    plan, documents = documents_of(tmp_path, pages)
    assert list(documents) == plan.pages.tolist() == [0]
    assert plan.counts["noindex"] == 1
    assert planned(tmp_path, with_outside=True)[0].pages.tolist() == [0, 3]


def test_copies_are_listed_with_the_document_they_were_folded_into(tmp_path: Path) -> None:
    same = essay(1)
    pages = [
        Page(same, "Same"),
        Page(same, "Same"),
        Page(outcome="redirected", redirect=3),
        Page(outcome="redirected", redirect=0),
        Page(same + " edited", "Same", canonical=0),
    ]
    plan, documents = documents_of(tmp_path, pages)
    assert plan.pages.tolist() == [0]
    assert documents[0].copies == ("http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4")
    assert (plan.counts["same content"], plan.counts["canonical"], plan.counts["redirect"]) == (1, 1, 2)


def test_a_canonical_that_redirects_is_taken_for_where_it_leads(tmp_path: Path) -> None:
    text = essay(1)
    pages = [Page(text, "One", canonical=1), Page(outcome="redirected", redirect=2), Page(text + " more", "Two")]
    plan, _ = documents_of(tmp_path, pages)
    assert plan.pages.tolist() == [2]


def test_two_versions_of_a_manual_are_one_document_and_pages_of_other_titles_are_not(tmp_path: Path) -> None:
    text = essay(1, 400)
    pages = [Page(text, "Manual 1.8"), Page(text + " edited", "Manual 1.9"), Page(text + " again", "Reference")]
    plan, _ = documents_of(tmp_path, pages)
    assert plan.pages.tolist() == [0, 2]
    assert plan.counts["near-duplicate"] == 1


# --- anchors --------------------------------------------------------------------------------------


def test_anchor_texts_say_where_they_come_from_and_on_how_many_pages_they_are(tmp_path: Path) -> None:
    pages = [
        page(0),
        page(1, Link(0, "timetable")),
        page(2, Link(0, " timetable ")),
        page(3, Link(0, "ships")),
        page(4, Link(0, "ferries"), host=1),
    ]
    _, documents = documents_of(tmp_path, pages)
    assert documents[0].anchors_inside == (("timetable", 2), ("ships", 1))
    assert documents[0].anchors_outside == (("ferries", 1),)


def test_links_that_say_nothing_of_their_target_give_no_anchor_texts(tmp_path: Path) -> None:
    links = [
        Link(0, "itself"),
        Link(1, "not followed", nofollow=True),
        Link(2, "  "),
        Link(3, "canonical", kind=4),
    ]
    _, documents = documents_of(tmp_path, [page(0, *links), page(1), page(2), page(3)])
    assert all(not each.anchors_inside and not each.anchors_outside for each in documents.values())


def test_a_page_that_links_twice_counts_once(tmp_path: Path) -> None:
    _, documents = documents_of(tmp_path, [page(0, Link(1, "map"), Link(1, "map", kind=1)), page(1)])
    assert documents[1].anchors_inside == (("map", 1),)


def test_words_that_lead_to_many_pages_are_left_out_and_counted(tmp_path: Path) -> None:
    many = [Link(number, "Next" if number % 2 else "next") for number in range(1, 22)]
    few = [Link(number, "chapter") for number in range(1, 21)]
    pages = [page(0, *many), page(1), *(page(number) for number in range(2, 23)), page(23, *few)]
    plan, documents = documents_of(tmp_path, pages)
    assert plan.counts["anchor of many pages"] == 21
    assert documents[5].anchors_inside == (("chapter", 1),)
    assert documents[21].anchors_inside == ()


def test_links_left_out_are_as_if_they_were_not_there(tmp_path: Path) -> None:
    write_store(tmp_path / "store.db", [page(0), page(1, Link(0, "one")), page(2, Link(0, "two"))])
    before, _ = planned(tmp_path)
    after, documents = planned(tmp_path, left_out=[(1, 0), (1, 0), (7, 7)])
    assert documents[0].anchors_inside == (("two", 1),)
    assert (before.fingerprints != after.fingerprints).tolist() == [True, False, False]


def test_anchor_texts_of_copies_and_redirects_are_the_documents_own(tmp_path: Path) -> None:
    same = essay(1)
    pages = [
        Page(same, "Same"),
        Page(same, "Same"),
        Page(outcome="redirected", redirect=0),
        page(3, Link(0, "ship"), Link(1, "boat"), Link(2, "ship")),
    ]
    _, documents = documents_of(tmp_path, pages)
    assert documents[0].anchors_inside == (("ship", 2), ("boat", 1))


def test_of_very_many_anchor_texts_the_most_frequent_are_kept(tmp_path: Path) -> None:
    pages = [page(0), *(page(number, Link(0, f"name {number}")) for number in range(1, MOST_ANCHORS + 10))]
    pages += [page(300, Link(0, "often")), page(301, Link(0, "often"))]
    _, documents = documents_of(tmp_path, pages)
    assert len(documents[0].anchors_inside) == MOST_ANCHORS
    assert documents[0].anchors_inside[0] == ("often", 2)


# --- fingerprints ---------------------------------------------------------------------------------


def changed(folder: Path, pages: dict[int, Page]) -> dict[int, bool]:
    """Which documents of the new plan differ from the old one or are new."""
    old = _fingerprints(planned(folder)[0])
    visit_again(folder / "store.db", pages)
    return {number: old.get(number) != value for number, value in _fingerprints(planned(folder)[0]).items()}


def _fingerprints(plan: IndexPlan) -> dict[int, int]:
    return dict(zip(plan.pages.tolist(), plan.fingerprints.tolist(), strict=True))


def test_the_fingerprint_is_the_same_as_long_as_the_document_is(tmp_path: Path) -> None:
    write_store(tmp_path / "store.db", [page(0, Link(1, "one")), page(1)])
    assert changed(tmp_path, {}) == {0: False, 1: False}


def test_a_page_that_changed_has_another_fingerprint(tmp_path: Path) -> None:
    write_store(tmp_path / "store.db", [page(0), page(1)])
    assert changed(tmp_path, {1: page(5)}) == {0: False, 1: True}
    assert planned(tmp_path)[1][1].body == essay(5)


def test_a_new_inbound_anchor_changes_the_target(tmp_path: Path) -> None:
    write_store(tmp_path / "store.db", [page(0), page(1), page(2)])
    assert changed(tmp_path, {0: page(0, Link(1, "one"))}) == {0: True, 1: True, 2: False}


def test_a_new_copy_changes_the_document_it_is_folded_into(tmp_path: Path) -> None:
    write_store(tmp_path / "store.db", [page(0), page(1), page(2)])
    assert changed(tmp_path, {2: page(0)}) == {0: True, 1: False}


def test_a_store_without_pages_has_no_documents(tmp_path: Path) -> None:
    plan, documents = documents_of(tmp_path, [])
    assert len(plan.pages) == len(plan.fingerprints) == len(documents) == 0


def test_hosts_without_bodies_lose_their_templates(tmp_path: Path) -> None:
    pages = [Page(f"Home\nSearch\n{essay(number)}", f"Title {chr(97 + number)}") for number in range(12)]
    plan, documents = documents_of(tmp_path, pages)
    assert plan.extractions == {"blocks": 12}
    assert documents[3].body == essay(3)
    assert documents[3].full_text.startswith("Home")


def test_near_duplicates_whose_titles_differ_in_signs_or_are_missing_are_documents_of_their_own(tmp_path: Path) -> None:
    text = essay(1, 400)
    pages = [Page(text, "operator>"), Page(text + " a", "operator>="), Page(text + " b"), Page(text + " c")]
    assert documents_of(tmp_path, pages)[0].pages.tolist() == [0, 1, 2, 3]
