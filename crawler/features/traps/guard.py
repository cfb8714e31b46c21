"""Detects URL shapes that look endless. Their pages wait until other pages of the host are done. Pure.

The guard works between discovery and frontier: it sees URLs and hashes of what pages say, but no order and no clock. A
suspect shape is *slowed down*: its pages are queued behind all other pages of their host, and only a limited number of
its visits may bring nothing new (traps.patience). After that, its other pages wait for a run with a higher limit. No
page is forgotten or forbidden.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from typing import Final

from hinterland.crawler.features.traps.seen_contents import SeenContents
from hinterland.crawler.features.traps.seen_words import SeenWords
from hinterland.crawler.features.traps.settings import TrapSettings
from hinterland.crawler.features.traps.shape import Gain, Shape, Suspicion
from hinterland.crawler.features.traps.shape_tree import ShapeTree
from hinterland.crawler.features.traps.url_shapes import LIST, QUERY, marks_of, steps_of, steps_of_pattern
from hinterland.crawler.parsing.text_hashes import Interest, TextHashes
from hinterland.storage.values.hosts import SlowedShape

FROM_PAGES: Final = 100
"""The shapes of a host are examined after this many of its pages were read, so small hosts cost nothing."""
_MAX_SHAPES = 50_000
_MAX_VOCABULARIES = 32
_PROVEN = 8
"""A shape is spared when a shape around it is slowed down, if half of this many recent visits brought something new."""
_EXPLORED = _PROVEN
"""A shape of which fewer pages were read is suspended together with a shape around it only after the latter has spent
twice its budget.
"""
_FOR_PARTS = 2
_JUDGED_AT_LEAST = 16
"""While visits to a shape bring something new, it is judged only once in this many visits."""
_LONG = 200
_ONE_OF = 4
"""One in this many pages of a healthy shape is examined closely."""
_LINKED_ONCE = 56  # of a window of 64


class Priority(Enum):
    """When a page may be visited."""

    NORMAL = auto()
    LOW = auto()
    """It may be visited when nothing else of its host is waiting."""
    SUSPENDED = auto()
    """It may not be visited in this run, since its shape has used up its budget."""


class TrapGuard:
    """The URL shapes of each host of which enough pages were read, and the contents seen on all hosts. Mutable."""

    def __init__(self, settings: TrapSettings) -> None:
        """Start without knowing any host."""
        self._patience = settings.patience
        self._trusted = [re.compile(pattern) for pattern in settings.trusted]
        self._trees: OrderedDict[int, ShapeTree] = OrderedDict()
        self._size = 0
        self._read = array("i")
        self._contents = SeenContents()
        self._vocabularies: OrderedDict[Shape, SeenWords] = OrderedDict()
        self._slowed: dict[Shape, int] = {}  # with their hosts
        self._left: dict[Shape, array[int]] = {}
        self._kin: dict[tuple[int, str], set[Shape]] = {}
        """The slowed shapes by host and mark; for marks see `marks_of`."""

    # ---------------------------------------------------------------- discovery

    def place(self, host: int, url: str) -> Shape | None:
        """Return the shape of a canonical URL; None if the URL is trusted or too few pages of its host were read."""
        tree = self._trees.get(host)
        if tree is None or (self._trusted and any(pattern.search(url) for pattern in self._trusted)):
            return None
        return self._find(tree, url)

    def found(self, host: int, url: str) -> Priority:
        """Note that a page is now waiting; return its priority."""
        shape = self.place(host, url)
        if shape is None:
            return Priority.NORMAL
        for node in shape.chain:
            node.backlog += 1
        return self.priority(shape)

    def priority(self, shape: Shape | None) -> Priority:
        """Return the priority of a shape's pages. This may grant the shape more visits."""
        priority = Priority.NORMAL
        if shape is None or not self._slowed:
            return priority
        for node in shape.chain:
            if node.suspicion is not None:
                if node is not shape and priority is Priority.NORMAL and _is_proven(shape):
                    return Priority.NORMAL
                is_explored = node is shape or shape.visits >= _EXPLORED
                patience = self._patience if is_explored else _FOR_PARTS * self._patience
                if node.runs_out(patience, self._kin_of(node)):
                    return Priority.SUSPENDED
                priority = Priority.LOW
        return priority

    # ---------------------------------------------------------------- outcomes of visits

    def interest(self, shape: Shape | None) -> Interest:
        """Return which hashes of the text of a page of this shape are needed.

        No hashes are needed while URLs of the shape are visited faster than new ones are found.
        """
        if shape is None:
            return Interest.NOTHING
        interest = Interest.NOTHING
        for node in shape.chain:
            if node.is_growing:
                linked_once = node.linked_once.bit_count() >= _LINKED_ONCE
                if linked_once or node.visits >= _LONG or (node is shape and _is_generated(node)):
                    is_due = not node.is_healthy or node.visits % _ONE_OF == 0
                    return Interest.WORDS if is_due else Interest.TEXT
                if node.parent is not None:
                    interest = Interest.TEXT
        return interest

    def read(self, host: int, shape: Shape | None, said: TextHashes, *, is_linked_once: bool) -> Suspicion | None:
        """Count a page that was read; return the suspicion that it raised, or None."""
        if shape is None or not self._is_current(host, shape):
            self._count(host)
            return None
        return self._count_visit(host, shape, Gain(self._is_new(host, shape, said), is_linked_once))

    def _count_visit(self, host: int, shape: Shape, gain: Gain) -> Suspicion | None:
        chain = shape.chain
        concerned = chain
        if self._slowed:
            outermost = max((i for i, node in enumerate(chain) if node.suspicion is not None), default=len(chain) - 1)
            concerned = chain[: outermost + 1]
        for node in concerned:
            node.visited(gain)
        for place, node in enumerate(concerned):
            if gain.is_new is not False and node.suspicion is None and node.visits % _JUDGED_AT_LEAST:
                continue  # no evidence against it
            before, node.suspicion = node.suspicion, node.judge()
            if node.suspicion is None and before is not None:
                self._stop_slowing(node)
            elif before is None and node.suspicion is not None:
                self._slow_down(node, host)
                for above in concerned[place + 1 :]:
                    above.forgive()
                parts = list(_slowed_parts(node))
                node.take_over(sum(part.spent for part in parts), sum(part.earned for part in parts))
                return node.suspicion
        return None

    def moved(self, host: int, shape: Shape | None, priority: Priority) -> None:
        """Count a redirect to a page that was not known before.

        If that page is deprioritised or suspended, the visit counts as bringing nothing new.
        """
        if shape is not None and priority is not Priority.NORMAL and self._is_current(host, shape):
            self._count_visit(host, shape, Gain(is_new=False, is_linked_once=True))

    def _is_new(self, host: int, shape: Shape, said: TextHashes) -> bool | None:
        """Return whether the page says something new for its host; None if it was not examined closely."""
        if said.text is None or not self._contents.add(host, said.text):
            return None if said.text is None else False
        if said.letters is None or said.words is None:
            return None
        vocabulary = self._vocabulary(_vocabulary_shape(shape))
        has_new_words = vocabulary.is_full or vocabulary.add(said.words) > 0
        return self._contents.add(host, said.letters) and has_new_words

    def done(self, shape: Shape | None) -> None:
        """Note that a page of this shape is no longer waiting."""
        while shape is not None:
            shape.backlog -= 1
            shape = shape.parent

    # ---------------------------------------------------------------- pages set aside

    def set_aside(self, shape: Shape, page: int) -> None:
        """Set aside a page whose priority is SUSPENDED."""
        self._left.setdefault(shape, array("i")).append(page)

    def take_back(self) -> list[int]:
        """Remove and return the pages set aside that may be visited after all."""
        back: list[int] = []
        for shape in [each for each in self._left if self.priority(each) is not Priority.SUSPENDED]:
            back += self._left.pop(shape)
        return back

    @property
    def left(self) -> int:
        """The number of pages set aside."""
        return sum(map(len, self._left.values()))

    def slowed(self) -> list[SlowedShape]:
        """Return the slowed shapes; shapes with the most visits that brought nothing new come first."""
        left: Counter[Shape] = Counter()
        for shape, pages in self._left.items():
            slowed = [node for node in shape.chain if node.suspicion is not None]
            left[slowed[-1] if slowed else shape] += len(pages)
        found = [
            SlowedShape(
                host=host,
                shape=shape.pattern(),
                suspicion=shape.suspicion,
                visits=shape.visits,
                in_vain=shape.spent,
                earned=shape.earned,
                left_waiting=left[shape],
            )
            for shape, host in self._slowed.items()
            if shape.suspicion is not None
        ]
        return sorted(found, key=lambda each: (-each.in_vain, each.host, each.shape))

    def count(self) -> tuple[int, int]:
        """Return the number of slowed shapes, and the number of their visits that brought nothing new."""
        return len(self._slowed), sum(shape.spent for shape in self._slowed)

    def restore(self, slowed: Iterable[SlowedShape]) -> None:
        """Restore the shapes that an earlier run had slowed down; call this before any other method."""
        for each in slowed:
            tree = self._trees.setdefault(each.host, ShapeTree())
            before = tree.size
            shape = tree.find(steps_of_pattern(each.shape))
            self._size += tree.size - before
            self._slow_down(shape, each.host)
            shape.restore(Suspicion(each.suspicion), each.visits, each.in_vain, each.earned)

    def memory_bytes(self) -> int:
        """Return roughly how many bytes of memory the guard uses."""
        return self._contents.memory_bytes() + 400 * self._size + (len(self._vocabularies) << 18) + 4 * self.left

    # ---------------------------------------------------------------- tables

    def _find(self, tree: ShapeTree, url: str) -> Shape:
        before = tree.size
        shape = tree.find(steps_of(url))
        self._size += tree.size - before
        return shape

    def _count(self, host: int) -> None:
        read = self._read
        if host >= len(read):
            read.extend([0] * (host + 1 - len(read)))
        read[host] += 1
        if read[host] >= FROM_PAGES and host not in self._trees:
            self._trees[host] = ShapeTree()
            self._size += 1
            if self._size > _MAX_SHAPES:
                self._forget_a_host()

    def _slow_down(self, shape: Shape, host: int) -> None:
        self._slowed[shape] = host
        for mark in marks_of(shape.steps()):
            self._kin.setdefault((host, mark), set()).add(shape)

    def _stop_slowing(self, shape: Shape) -> None:
        host = self._slowed.pop(shape)
        for mark in marks_of(shape.steps()):
            kin = self._kin[host, mark]
            kin.discard(shape)
            if not kin:
                del self._kin[host, mark]

    def _kin_of(self, shape: Shape) -> set[Shape]:
        """Return the other shapes of the host that share a budget with this shape, because they repeat themselves, too.

        Shapes share a budget if they have a mark in common, such as a session id (see `marks_of`). If one such shape
        contains another, only the outer one counts.
        """
        host = self._slowed.get(shape)
        if host is None or shape.suspicion is not Suspicion.REPEATS:
            return set()
        kin = set[Shape]().union(*(self._kin.get((host, mark), ()) for mark in marks_of(shape.steps())))
        apart = {each for each in kin if each not in shape.chain and shape not in each.chain}
        return {each for each in apart if each.suspicion is Suspicion.REPEATS and apart.isdisjoint(each.chain[1:])}

    def _is_current(self, host: int, shape: Shape) -> bool:
        """Return whether the shape belongs to its host's present tree, which may have been replaced during a visit."""
        tree = self._trees.get(host)
        return tree is not None and shape.chain[-1] is tree.root

    def _forget_a_host(self) -> None:
        """Forget the shapes of the host that was examined first, among hosts without slowed shapes.

        The host is examined again after more of its pages were read.
        """
        for host, tree in self._trees.items():
            if not any(shape.suspicion for shape in tree):
                self._size -= tree.size
                self._read[host] = 0
                del self._trees[host]
                return

    def _vocabulary(self, shape: Shape) -> SeenWords:
        vocabulary = self._vocabularies.get(shape)
        if vocabulary is None:
            vocabulary = self._vocabularies[shape] = SeenWords()
            if len(self._vocabularies) > _MAX_VOCABULARIES:
                self._vocabularies.popitem(last=False)
        else:
            self._vocabularies.move_to_end(shape)
        return vocabulary


def _slowed_parts(shape: Shape) -> Iterator[Shape]:
    """Yield the outermost slowed shapes below a shape."""
    for child in (shape.children or {}).values():
        if child.suspicion is not None:
            yield child
        else:
            yield from _slowed_parts(child)


def _is_generated(shape: Shape) -> bool:
    """Return whether a program probably writes the URLs of this shape: they have a query, or a list in a path."""
    return shape.step == LIST or (shape.parent is not None and shape.parent.step == QUERY)


def _vocabulary_shape(shape: Shape) -> Shape:
    """Return the shape in whose vocabulary the words of this shape's pages are counted.

    This is the outermost growing shape around `shape`. Otherwise, each combination of words in URLs would have a
    vocabulary of its own.
    """
    speaker = shape
    for node in shape.chain:
        if node.is_growing and node.parent is not None:
            speaker = node
    return speaker


def _is_proven(shape: Shape) -> bool:
    return (
        shape.suspicion is None
        and shape.visits >= _PROVEN
        and (shape.news & (1 << _PROVEN) - 1).bit_count() >= _PROVEN // 2
    )
