"""Every wanted file is requested once, one at a time at each host, and ends with an outcome."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.loop.files.file_queue import FileQueue, WantedFile
from hinterland.crawler.loop.files.known_files import KnownFiles

HOSTS = [f"https://{name}.test" for name in "abc"]
STEPS = st.lists(st.tuples(st.sampled_from(["want", "send", "end", "again", "next", "give_up"]), st.integers(0, 2)))


def sent(queue: FileQueue[WantedFile], at_most: int) -> list[WantedFile]:
    """Queue requests at all hosts that may be asked, by the number of the host in HOSTS."""
    files = []
    for host in queue.unasked(at_most):
        if (file := queue.next_of(host)) is not None:
            queue.asked(HOSTS.index(host), file)
            files.append(file)
    return files


@given(STEPS)
def test_no_file_is_lost_and_no_host_is_asked_for_two_at_a_time(steps: list[tuple[str, int]]) -> None:
    queue = FileQueue[WantedFile]()
    wanted, ended = Counter[str](), Counter[str]()

    def end(file: WantedFile) -> None:
        queue.ended("done")
        ended[file.url] += 1

    for place, (step, host) in enumerate(steps):
        file = queue.asked_at(host)
        if step == "want":
            queue.wait(WantedFile(f"{HOSTS[host]}/{place}"))
            wanted[f"{HOSTS[host]}/{place}"] += 1
        elif step == "send":
            before = set(queue.hosts_asked)
            assert before.isdisjoint(HOSTS.index(each.url[:14]) for each in sent(queue, 2))
            assert len(queue.hosts_asked) <= 2
        elif step == "give_up":
            for lost in queue.given_up(host):
                end(lost)
            assert queue.asked_at(host) is None
        elif file is not None:
            queue.answered(host)
            if step == "end":
                end(file)
            else:
                queue.put_back(file, is_tried=True, is_next=step == "next")
                if step == "next":
                    assert queue.next_of(HOSTS[host]) is file
                    queue.put_back(file, is_next=True)
        assert queue.waiting == wanted.total() - ended.total()
        assert queue.is_busy == (queue.waiting > 0)
    while queue.is_busy:
        assert sent(queue, 3) or queue.hosts_asked
        for host in queue.hosts_asked:
            file = queue.asked_at(host)
            assert file is not None
            queue.answered(host)
            end(file)
    assert ended == wanted
    assert queue.tally.total() == wanted.total()


def test_files_of_a_host_come_in_the_order_in_which_they_were_wanted() -> None:
    queue = FileQueue[WantedFile]()
    for name in "abc":
        queue.wait(WantedFile(f"{HOSTS[0]}/{name}"))
    first = sent(queue, 1)[0]
    queue.answered(0)
    queue.put_back(first)
    order = []
    while queue.is_busy:
        [file] = sent(queue, 1)
        order.append(file.url[-1])
        queue.answered(0)
        queue.ended("done")
    assert order == ["b", "c", "a"]


def test_a_cause_adds_a_limited_number_of_files_and_known_ones_are_found_by_their_numbers() -> None:
    files = KnownFiles[str](2, [("https://a.test/0", "page"), ("https://a.test/1", None)])
    assert [files.find(f"https://a.test/{number}") for number in range(3)] == [0, 1, None]
    assert files.add("https://a.test/2", "page") == 2
    assert files.add("https://a.test/3", "page") is None
    assert files.find("https://a.test/3") is None
    assert files.add("https://a.test/3", "another") == 3
    assert files.add_uncounted("https://a.test/4") == 4
