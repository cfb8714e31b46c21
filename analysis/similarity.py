"""Which crawled pages a page resembles, and what these let expect of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.compiled import compiled
from analysis.crawled_graph import CrawledGraph
from analysis.graph import BoolArray, ByteArray, FloatArray, Graph, IntArray, OffsetArray, Rows

KINDS: Final = 4
"""Class, host within the class, siblings, neighbours; in this order in every array of weights."""


Columns = tuple[
    Rows,
    Rows,
    tuple[BoolArray, BoolArray, ByteArray],
    tuple[ByteArray, FloatArray],
    tuple[IntArray, FloatArray],
    IntArray,
    NDArray[np.int32],
]
"""A Similarity as compiled functions take it (see `Rows`): links, inlinks; is_crawled, is_model, model_weights; classes
and their sizes; host_classes and theirs; siblings; neighbours."""


@dataclass(frozen=True, eq=False)
class Similarity:
    """Who resembles whom. Models are the crawled pages whose links predict those of others.

    Shapes (n,): is_model; model_weights, 0 of the others, the greatest standing for one page; classes, below 64;
    host_classes, a number for each host and class that has models, 0 for all others. class_sizes, host_class_sizes: the
    weights of their models. siblings, shape (n,): how many models a page links to. neighbours, shape (n, 2): the models
    on the same host with the next lower and the next higher page number, -1 for none; pages are numbered as they are
    discovered.
    """

    links: Graph
    inlinks: Graph
    is_crawled: BoolArray
    is_model: BoolArray
    model_weights: ByteArray
    hosts: IntArray
    classes: ByteArray
    host_classes: IntArray
    class_sizes: FloatArray
    host_class_sizes: FloatArray
    siblings: IntArray
    neighbours: NDArray[np.int32]

    @classmethod
    def of(
        cls, crawled: CrawledGraph, is_model: BoolArray, model_weights: ByteArray, classes: ByteArray
    ) -> Similarity:
        host_count = int(crawled.hosts.max(initial=-1)) + 1
        links, n = crawled.links, crawled.page_count
        inlinks = links.transposed  # before there is anything else: turning links round takes memory
        siblings: IntArray = links.zeros(n, np.int32)
        _count_children(links.offsets, links.targets, is_model, siblings)
        neighbours: NDArray[np.int32] = links.zeros(2 * n, np.int32).reshape(n, 2)
        _find_neighbours(crawled.hosts, is_model, host_count, neighbours)
        return cls(
            links,
            inlinks,
            crawled.is_crawled,
            is_model,
            model_weights,
            crawled.hosts,
            *_classified(links, crawled.hosts, classes, is_model, model_weights),
            siblings,
            neighbours,
        )

    def with_classes(self, classes: ByteArray) -> Similarity:
        """The same pages in other classes, shape (n,)."""
        return Similarity(
            self.links,
            self.inlinks,
            self.is_crawled,
            self.is_model,
            self.model_weights,
            self.hosts,
            *_classified(self.links, self.hosts, classes, self.is_model, self.model_weights),
            self.siblings,
            self.neighbours,
        )

    @property
    def columns(self) -> Columns:
        links, inlinks = self.links.rows, self.inlinks.rows
        pages = self.is_crawled, self.is_model, self.model_weights
        classes = self.classes, self.class_sizes
        host_classes = self.host_classes, self.host_class_sizes
        return links, inlinks, pages, classes, host_classes, self.siblings, self.neighbours


def _classified(
    links: Graph, hosts: IntArray, classes: ByteArray, is_model: BoolArray, model_weights: ByteArray
) -> tuple[ByteArray, IntArray, FloatArray, FloatArray]:
    host_classes: IntArray = links.zeros(len(hosts), np.int32)
    count = _number_host_classes(hosts, classes, is_model, int(hosts.max(initial=-1)) + 1, host_classes)
    class_sizes = _sums(classes, model_weights, int(classes.max(initial=0)) + 1)
    return classes, host_classes, class_sizes, _sums(host_classes, model_weights, count)


def predicted_rates(similarity: Similarity, weights: FloatArray, rates: FloatArray) -> FloatArray:
    """A rate of every page outside the local domain as predicted by its models' rates, shape (n,): of a model, by
    the others. 0 where nothing predicts it, and of crawled local pages. rates: shape (n,), read of models only."""
    n, zeros = similarity.links.page_count, similarity.links.zeros
    predicted: FloatArray = zeros(n, np.float64)
    _predict(similarity.columns, weights, rates, zeros(n, np.float64), predicted)
    return predicted


@compiled
def _sums(groups: ByteArray | IntArray, values: ByteArray, count: int) -> FloatArray:
    sums = np.zeros(count)
    for i in range(len(groups)):
        sums[groups[i]] += values[i]
    return sums


@compiled
def _number_host_classes(
    hosts: IntArray, classes: ByteArray, is_model: BoolArray, host_count: int, numbers: IntArray
) -> int:
    """Give each host and class that a model has a number, from 1, and leave all others at 0; how many that makes.

    Most hosts have no model at all, and a number for each of their classes would take more memory than the rest.
    """
    present = np.zeros(host_count, np.uint64)  # a bit for each class
    one = np.uint64(1)
    for page in range(len(hosts)):
        if is_model[page]:
            present[hosts[page]] |= one << np.uint64(classes[page])
    first = np.empty(host_count, np.int32)
    count = 1
    for host in range(host_count):
        first[host] = count
        count += _ones(present[host])
    for page in range(len(hosts)):
        bit = one << np.uint64(classes[page])
        if present[hosts[page]] & bit:
            numbers[page] = first[hosts[page]] + _ones(present[hosts[page]] & (bit - one))
    return count


@compiled
def _ones(bits: np.uint64) -> int:
    count = 0
    while bits:
        bits = bits & (bits - np.uint64(1))
        count += 1
    return count


@compiled
def _count_children(offsets: OffsetArray, targets: IntArray, is_model: BoolArray, counts: IntArray) -> None:
    for page in range(len(counts)):
        for link in range(offsets[page], offsets[page + 1]):
            counts[page] += is_model[targets[link]]


@compiled
def _find_neighbours(
    hosts: IntArray, is_model: BoolArray, host_count: int, neighbours: NDArray[np.int32]
) -> None:
    n = len(hosts)
    last = np.full(host_count, -1, np.int32)
    for page in range(n):
        neighbours[page, 0] = last[hosts[page]]
        if is_model[page]:
            last[hosts[page]] = page
    last[:] = -1
    for page in range(n - 1, -1, -1):
        neighbours[page, 1] = last[hosts[page]]
        if is_model[page]:
            last[hosts[page]] = page


@compiled
def _predict(
    columns: Columns, weights: FloatArray, rates: FloatArray, sibling_sums: FloatArray, predicted: FloatArray
) -> None:
    """Fill in `predicted`; sibling_sums is room of zeros."""
    links, inlinks, pages, of_class, of_host, siblings, neighbours = columns
    offsets, targets = links
    in_offsets, in_sources = inlinks
    is_crawled, is_model, model_weights = pages
    classes, class_sizes = of_class
    host_classes, host_class_sizes = of_host
    n = len(is_model)
    class_sums = np.zeros(len(class_sizes))
    host_sums = np.zeros(len(host_class_sizes))
    for page in range(n):
        if is_model[page]:
            class_sums[classes[page]] += model_weights[page] * rates[page]
            host_sums[host_classes[page]] += model_weights[page] * rates[page]
    for page in range(n):
        if siblings[page]:
            for link in range(offsets[page], offsets[page + 1]):
                if is_model[targets[link]]:
                    sibling_sums[page] += rates[targets[link]]
    for page in range(n):
        if is_crawled[page] and not is_model[page]:
            continue
        own = 1 if is_model[page] else 0
        own_weight = own * model_weights[page]
        own_rate = own * rates[page]
        total = 0.0
        sum_ = 0.0
        size = class_sizes[classes[page]] - own_weight
        if size > 1e-9:
            total += weights[0]
            sum_ += weights[0] * (class_sums[classes[page]] - own_weight * own_rate) / size
        size = host_class_sizes[host_classes[page]] - own_weight
        if size > 1e-9:
            total += weights[1]
            sum_ += weights[1] * (host_sums[host_classes[page]] - own_weight * own_rate) / size
        families = 0
        mean = 0.0
        for link in range(in_offsets[page], in_offsets[page + 1]):
            parent = in_sources[link]
            if siblings[parent] > own:
                families += 1
                mean += (sibling_sums[parent] - own_rate) / (siblings[parent] - own)
        if families:
            total += weights[2]
            sum_ += weights[2] * mean / families
        count = 0
        mean = 0.0
        for neighbour in neighbours[page]:
            if neighbour >= 0:
                count += 1
                mean += rates[neighbour]
        if count:
            total += weights[3]
            sum_ += weights[3] * mean / count
        if total > 0:
            predicted[page] = max(sum_ / total, 0.0)
