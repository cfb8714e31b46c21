"""Which crawled pages a page resembles, and how well those predict its links."""

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

_PRIOR: Final = np.array([0.25, 0.4, 0.175, 0.175])
_PRIOR_STRENGTH: Final = 5.0  # as if so many pages had been seen
_EM_ITERATIONS: Final = 30
_SAMPLE: Final = 20_000  # models whose links are predicted: four numbers are to be learnt from them
_FAMILIES, _CHILDREN = 8, 32  # looked at for the siblings of one page while the weights are learnt


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
        return cls(
            crawled.links,
            crawled.links.transposed,  # before there is anything else: turning links round takes memory
            crawled.is_crawled,
            is_model,
            model_weights,
            crawled.hosts,
            *_classified(crawled.hosts, classes, is_model, model_weights),
            _children(crawled.links.offsets, crawled.links.targets, is_model),
            _neighbours(crawled.hosts, is_model, host_count),
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
            *_classified(self.hosts, classes, self.is_model, self.model_weights),
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
    hosts: IntArray, classes: ByteArray, is_model: BoolArray, model_weights: ByteArray
) -> tuple[ByteArray, IntArray, FloatArray, FloatArray]:
    host_classes, host_class_count = _host_classes(hosts, classes, is_model, int(hosts.max(initial=-1)) + 1)
    return (
        classes,
        host_classes,
        _sums(classes, model_weights, int(classes.max(initial=0)) + 1),
        _sums(host_classes, model_weights, host_class_count),
    )


@dataclass(frozen=True, eq=False)
class Likelihoods:
    """How likely each kind of similarity makes each link of a sample of models, predicted from the other models.

    values: shape (links, 4); a page without links counts as one link to nowhere. link_weights: shape (links,); those
    of one page sum to its weight as a model.
    """

    values: NDArray[np.float64]
    link_weights: FloatArray


def prediction_likelihoods(similarity: Similarity) -> Likelihoods:
    models = np.flatnonzero(similarity.is_model).astype(np.int32)
    sample = models[:: max(1, -(-len(models) // _SAMPLE))]
    offsets, targets = similarity.links.offsets, similarity.links.targets
    rows, link_weights = _rows_of(sample, offsets, similarity.model_weights)
    values = np.zeros((len(link_weights), KINDS))
    by_kind: tuple[ByteArray | IntArray, ...] = similarity.classes, similarity.host_classes
    for kind, groups in enumerate(by_kind):
        order = models[np.argsort(groups[models], kind="stable")]  # compiled, it would take three seconds more
        _predict_by_group(offsets, targets, order, groups, rows, values[:, kind])
    links, inlinks = similarity.links.rows, similarity.inlinks.rows
    _predict_by_siblings(links, inlinks, similarity.is_model, sample, rows, values)
    _predict_by_neighbours(offsets, targets, similarity.neighbours, sample, rows, values)
    return Likelihoods(values, link_weights)


def interpolation_weights(likelihoods: Likelihoods) -> FloatArray:
    """The weights of the four kinds, shape (4,), sum 1, that make the links most likely: by expectation
    maximisation, begun at and held near the prior, as if that were some pages more. Where no kind predicts a
    link, it says nothing about them."""
    return _maximised(likelihoods.values, likelihoods.link_weights, _PRIOR, _PRIOR_STRENGTH, _EM_ITERATIONS)


def prior_weights() -> FloatArray:
    """The weights of the four kinds as long as nothing was learnt."""
    return _PRIOR.copy()


def predicted_rates(similarity: Similarity, weights: FloatArray, rates: FloatArray) -> FloatArray:
    """A rate of every page outside the local domain as predicted by its models' rates, shape (n,): of a model, by
    the others. 0 where nothing predicts it, and of crawled local pages. rates: shape (n,), read of models only."""
    return _predicted(similarity.columns, weights, rates)


@compiled
def _sums(groups: ByteArray | IntArray, values: ByteArray, count: int) -> FloatArray:
    sums = np.zeros(count)
    for i in range(len(groups)):
        sums[groups[i]] += values[i]
    return sums


@compiled
def _host_classes(
    hosts: IntArray, classes: ByteArray, is_model: BoolArray, host_count: int
) -> tuple[IntArray, int]:
    """A number for each host and class that a model has, from 1, and 0 for all others; how many numbers that makes.

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
    numbers = np.zeros(len(hosts), np.int32)
    for page in range(len(hosts)):
        bit = one << np.uint64(classes[page])
        if present[hosts[page]] & bit:
            numbers[page] = first[hosts[page]] + _ones(present[hosts[page]] & (bit - one))
    return numbers, count


@compiled
def _ones(bits: np.uint64) -> int:
    count = 0
    while bits:
        bits = bits & (bits - np.uint64(1))
        count += 1
    return count


@compiled
def _children(offsets: OffsetArray, targets: IntArray, is_model: BoolArray) -> IntArray:
    counts = np.zeros(len(offsets) - 1, np.int32)
    for page in range(len(counts)):
        for link in range(offsets[page], offsets[page + 1]):
            counts[page] += is_model[targets[link]]
    return counts


@compiled
def _neighbours(hosts: IntArray, is_model: BoolArray, host_count: int) -> NDArray[np.int32]:
    n = len(hosts)
    neighbours = np.full((n, 2), -1, np.int32)
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
    return neighbours


@compiled
def _rows_of(sample: IntArray, offsets: OffsetArray, model_weights: ByteArray) -> tuple[IntArray, FloatArray]:
    """Where the links of each page, shape (n,), begin in the table of the sample's links, -1 if it is not in the
    sample; and the weight of each link."""
    rows = np.full(len(offsets) - 1, -1, np.int32)
    size = 0
    for page in sample:
        rows[page] = size
        size += max(1, offsets[page + 1] - offsets[page])
    link_weights = np.empty(size)
    heaviest = float(model_weights.max())
    for page in sample:
        count = max(1, offsets[page + 1] - offsets[page])
        for row in range(rows[page], rows[page] + count):
            link_weights[row] = model_weights[page] / heaviest / count
    return rows, link_weights


@compiled
def _predict_by_group(
    offsets: OffsetArray,
    targets: IntArray,
    order: IntArray,
    groups: ByteArray | IntArray,
    rows: IntArray,
    likelihoods: FloatArray,
) -> None:
    """The mean of the links of the other models of a page's group. order: the models, group by group."""
    nowhere = len(offsets) - 1
    sums = np.zeros(nowhere + 1)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and groups[order[end]] == groups[order[begin]]:
            end += 1
        others = end - begin - 1
        if others:
            for place in range(begin, end):
                _add_links(offsets, targets, order[place], 1.0, sums)
            for place in range(begin, end):
                page = order[place]
                row = rows[page]
                if row < 0:
                    continue
                outdegree = offsets[page + 1] - offsets[page]
                if outdegree == 0:
                    likelihoods[row] = (sums[nowhere] - 1.0) / others
                for link in range(outdegree):
                    likelihoods[row + link] = (sums[targets[offsets[page] + link]] - 1.0 / outdegree) / others
            for place in range(begin, end):
                _clear_links(offsets, targets, order[place], sums)
        begin = end


@compiled
def _predict_by_siblings(
    links: Rows,
    inlinks: Rows,
    is_model: BoolArray,
    sample: IntArray,
    rows: IntArray,
    values: NDArray[np.float64],
) -> None:
    """The mean over some pages that link here of the mean over some other models they link to."""
    offsets, targets = links
    in_offsets, in_sources = inlinks
    sums = np.zeros(len(offsets))
    used = np.empty(_FAMILIES * 2 * _CHILDREN * 2, np.int32)
    for page in sample:
        families = 0
        count = 0
        step = max(1, (in_offsets[page + 1] - in_offsets[page]) // _FAMILIES)
        for inlink in range(in_offsets[page], in_offsets[page + 1], step):
            parent = in_sources[inlink]
            stride = max(1, (offsets[parent + 1] - offsets[parent]) // _CHILDREN)
            children = 0
            for link in range(offsets[parent], offsets[parent + 1], stride):
                children += is_model[targets[link]] and targets[link] != page
            if children == 0:
                continue
            families += 1
            for link in range(offsets[parent], offsets[parent + 1], stride):
                if is_model[targets[link]] and targets[link] != page:
                    _add_links(offsets, targets, targets[link], 1.0 / children, sums)
                    used[count] = targets[link]
                    count += 1
        if families:
            _read_links(offsets, targets, page, 1.0 / families, sums, rows[page], values[:, 2])
            for place in range(count):
                _clear_links(offsets, targets, used[place], sums)


@compiled
def _predict_by_neighbours(
    offsets: OffsetArray,
    targets: IntArray,
    neighbours: NDArray[np.int32],
    sample: IntArray,
    rows: IntArray,
    values: NDArray[np.float64],
) -> None:
    """The mean of the links of the model before and the model after."""
    sums = np.zeros(len(offsets))
    for page in sample:
        count = 0
        for neighbour in neighbours[page]:
            if neighbour >= 0:
                count += 1
                _add_links(offsets, targets, neighbour, 1.0, sums)
        if count:
            _read_links(offsets, targets, page, 1.0 / count, sums, rows[page], values[:, 3])
            for neighbour in neighbours[page]:
                if neighbour >= 0:
                    _clear_links(offsets, targets, neighbour, sums)


@compiled
def _add_links(offsets: OffsetArray, targets: IntArray, page: int, weight: float, sums: FloatArray) -> None:
    """Add the distribution of a page's links; the last place of sums is for leading nowhere."""
    outdegree = offsets[page + 1] - offsets[page]
    if outdegree == 0:
        sums[-1] += weight
    for link in range(offsets[page], offsets[page + 1]):
        sums[targets[link]] += weight / outdegree


@compiled
def _clear_links(offsets: OffsetArray, targets: IntArray, page: int, sums: FloatArray) -> None:
    sums[-1] = 0.0
    for link in range(offsets[page], offsets[page + 1]):
        sums[targets[link]] = 0.0


@compiled
def _read_links(
    offsets: OffsetArray,
    targets: IntArray,
    page: int,
    factor: float,
    sums: FloatArray,
    row: int,
    likelihoods: FloatArray,
) -> None:
    if offsets[page + 1] == offsets[page]:
        likelihoods[row] = factor * sums[-1]
    for link in range(offsets[page], offsets[page + 1]):
        likelihoods[row + link - offsets[page]] = factor * sums[targets[link]]


@compiled
def _maximised(
    likelihoods: NDArray[np.float64], link_weights: FloatArray, prior: FloatArray, strength: float, iterations: int
) -> FloatArray:
    weights = prior.copy()
    kinds = len(prior)
    for _ in range(iterations):
        counts = prior * strength
        for row in range(len(link_weights)):
            total = 0.0
            for kind in range(kinds):
                total += weights[kind] * likelihoods[row, kind]
            if total > 0:
                for kind in range(kinds):
                    counts[kind] += link_weights[row] * weights[kind] * likelihoods[row, kind] / total
        weights = counts / counts.sum()
    return weights


@compiled
def _predicted(columns: Columns, weights: FloatArray, rates: FloatArray) -> FloatArray:
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
    sibling_sums = np.zeros(n)
    for page in range(n):
        if siblings[page]:
            for link in range(offsets[page], offsets[page + 1]):
                if is_model[targets[link]]:
                    sibling_sums[page] += rates[targets[link]]
    predicted = np.zeros(n)
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
    return predicted
