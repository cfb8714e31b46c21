"""Finds the crawled pages that a page resembles, and predicts properties of the page from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.compiled import compiled
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import BoolArray, ByteArray, FloatArray, Graph, IntArray, OffsetArray, Rows, frozen

KINDS: Final = 4
"""The number of kinds of similarity: class, class on one host, siblings, neighbours; in this order in every array of
weights.
"""


Columns = tuple[
    Rows,
    Rows,
    tuple[BoolArray, BoolArray, BoolArray, ByteArray],
    tuple[ByteArray, FloatArray],
    tuple[IntArray, FloatArray],
    tuple[IntArray, IntArray],
    NDArray[np.int32],
]
"""A Similarity as compiled functions take it (see `Rows`): links; inlinks; (is_crawled, is_local, is_model,
model_weights); (classes, class_sizes); (host_classes, host_class_sizes); (siblings, parents); neighbours.
"""


@dataclass(frozen=True, eq=False)
class Similarity:
    """Which pages resemble each other.

    Models are the crawled pages whose links are used to predict the links of other pages. Only crawled pages pass on
    rank, so some arrays cover them alone: index i of shape (ℓ,) belongs to crawled[i].

        inlinks             offsets, shape (n + 1,), and the indices of the pages that link to each page, ascending
        is_model            which pages are models, shape (n,)
        model_weights       relative to the largest, shape (n,); 0 for pages that are not models
        classes             the class of each page, below 64, shape (n,)
        host_classes        the number of each page's combination of host and class, shape (n,); 0 if it has no models
        class_sizes         the total weight of the models of each class
        host_class_sizes    the total weight of the models of each combination of host and class
        siblings            how many models each crawled page links to, shape (ℓ,)
        parents             how many pages link both to this frontier page and to models, shape (n,)
        neighbours          the models on the same host with the next lower and the next higher page number, by their
                            indices, shape (n, 2); -1 for none. Pages are numbered as they are discovered
    """

    links: Graph
    crawled: IntArray
    inlinks: Rows
    is_crawled: BoolArray
    is_local: BoolArray
    is_model: BoolArray
    model_weights: ByteArray
    hosts: IntArray
    siblings: IntArray
    parents: IntArray
    neighbours: NDArray[np.int32]
    classes: ByteArray
    host_classes: IntArray
    class_sizes: FloatArray
    host_class_sizes: FloatArray

    @classmethod
    def of(cls, crawled: CrawledGraph, is_model: BoolArray, model_weights: ByteArray, classes: ByteArray) -> Similarity:
        """Return the similarity of the pages of a crawled graph.

        `is_model`, `model_weights` and `classes` have shape (n,).
        """
        hosts = np.ascontiguousarray(crawled.hosts)  # or all below would be compiled a second time
        host_count = int(hosts.max(initial=-1)) + 1
        links, n = crawled.links, crawled.page_count
        offsets, sources = links.zeros(n + 2, np.int64), links.zeros(links.link_count, np.int32)
        _transpose(links.offsets, links.targets, crawled.crawled, offsets, sources)
        inlinks = frozen(offsets[:-1]), frozen(sources)
        siblings, parents = links.zeros(len(crawled.crawled), np.int32), links.zeros(n, np.int32)
        _count_kin(inlinks, crawled.is_crawled, is_model, siblings, parents)
        neighbours: NDArray[np.int32] = links.zeros(2 * n, np.int32).reshape(n, 2)
        _find_neighbours(hosts, crawled.is_crawled, is_model, host_count, neighbours)
        return cls(
            links,
            crawled.crawled,
            inlinks,
            crawled.is_crawled,
            crawled.is_local,
            is_model,
            model_weights,
            hosts,
            siblings,
            parents,
            neighbours,
            *_classified(links, hosts, classes, is_model, model_weights),
        )

    def with_classes(self, classes: ByteArray) -> Similarity:
        """Return the same similarity with other classes, shape (n,)."""
        of_class, of_host, sizes, host_sizes = _classified(
            self.links, self.hosts, classes, self.is_model, self.model_weights
        )
        return replace(self, classes=of_class, host_classes=of_host, class_sizes=sizes, host_class_sizes=host_sizes)

    @property
    def columns(self) -> Columns:
        """The arrays of this object in the form that compiled functions take."""
        pages = self.is_crawled, self.is_local, self.is_model, self.model_weights
        classes = self.classes, self.class_sizes
        host_classes = self.host_classes, self.host_class_sizes
        kin = self.siblings, self.parents
        return self.links.rows, self.inlinks, pages, classes, host_classes, kin, self.neighbours


def _classified(
    links: Graph, hosts: IntArray, classes: ByteArray, is_model: BoolArray, model_weights: ByteArray
) -> tuple[ByteArray, IntArray, FloatArray, FloatArray]:
    host_classes: IntArray = links.zeros(len(hosts), np.int32)
    count = _number_host_classes(hosts, classes, is_model, int(hosts.max(initial=-1)) + 1, host_classes)
    class_sizes = _sums(classes, model_weights, int(classes.max(initial=0)) + 1)
    return classes, host_classes, class_sizes, _sums(host_classes, model_weights, count)


def predicted_rates(similarity: Similarity, weights: FloatArray, rates: FloatArray) -> FloatArray:
    """Return the rate of every external page, predicted from the rates of the models it resembles, shape (n,).

    A rate is any number that describes a page, such as its return probability. The rate of a model is predicted from
    the other models. It is 0 for pages without a prediction and for crawled local pages. `rates`, shape (ℓ,), holds the
    rates of crawled pages; 0 for pages that are not models.
    """
    predicted, _, _ = _predicted(similarity, weights, rates, of_models=True)
    return predicted


def sums_of_rates(similarity: Similarity, weights: FloatArray, rates: FloatArray) -> FloatArray:
    """Return, for each crawled page, the sum of the rates of the external pages it links to, shape (ℓ,).

    The rate of a model is in `rates`, that of a frontier page is predicted; `predicted_rates` explains both.
    """
    _, means, sums = _predicted(similarity, weights, rates, of_models=False)
    means *= similarity.siblings
    sums += means
    return sums


def _predicted(
    similarity: Similarity, weights: FloatArray, rates: FloatArray, *, of_models: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the predicted rates, shape (n,), and two arrays for the crawled pages, shape (ℓ,).

    For each crawled page, the first array has the mean rate of the models (crawled pages outside) that it links to. The
    second has the sum of the predicted rates of the external frontier pages that it links to. With `of_models`, the
    rates of models and of local pages are predicted as well, and the second array is 0.
    """
    n, size, zeros = similarity.links.page_count, len(similarity.crawled), similarity.links.zeros
    predicted: FloatArray = zeros(n, np.float64)
    means, sums = zeros(size, np.float64), zeros(size, np.float64)
    _predict(
        columns=similarity.columns,
        weights=weights,
        rates=rates,
        of_models=of_models,
        means=means,
        sums=sums,
        predicted=predicted,
    )
    return predicted, means, sums


@compiled
def _sums(groups: ByteArray | IntArray, values: ByteArray, count: int) -> FloatArray:
    sums = np.zeros(count)
    for i in range(len(groups)):
        if values[i]:
            sums[groups[i]] += values[i]
    return sums


@compiled
def _number_host_classes(
    hosts: IntArray, classes: ByteArray, is_model: BoolArray, host_count: int, numbers: IntArray
) -> int:
    """Assign numbers from 1 to the combinations of host and class that have a model; return one more than their count.

    `numbers`, shape (n,), receives the number of each page's combination; it stays 0 for pages whose combination has no
    model. Most hosts have no model at all, and numbers for all of their classes would take more memory than everything
    else.
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
def _transpose(
    offsets: OffsetArray, targets: IntArray, crawled: IntArray, new_offsets: OffsetArray, sources: IntArray
) -> None:
    """Fill in `new_offsets` and `sources` of the transposed graph; the sources are indices of crawled pages.

    `new_offsets` starts as zeros, one element longer than the offsets of the result.
    """
    for target in targets:
        new_offsets[target + 2] += 1
    for page in range(len(offsets) - 1):
        new_offsets[page + 2] += new_offsets[page + 1]
    # new_offsets[i + 1] is where the next source of i goes, and in the end where its sources end.
    for place in range(len(crawled)):
        for link in range(offsets[crawled[place]], offsets[crawled[place] + 1]):
            target = targets[link]
            sources[new_offsets[target + 1]] = place
            new_offsets[target + 1] += 1


@compiled
def _count_kin(
    inlinks: Rows, is_crawled: BoolArray, is_model: BoolArray, siblings: IntArray, parents: IntArray
) -> None:
    offsets, sources = inlinks
    for page in range(len(is_model)):
        if is_model[page]:
            for link in range(offsets[page], offsets[page + 1]):
                siblings[sources[link]] += 1
    for page in range(len(is_model)):
        if not is_crawled[page]:
            for link in range(offsets[page], offsets[page + 1]):
                parents[page] += siblings[sources[link]] > 0


@compiled
def _find_neighbours(
    hosts: IntArray, is_crawled: BoolArray, is_model: BoolArray, host_count: int, neighbours: NDArray[np.int32]
) -> None:
    n = len(hosts)
    last = np.full(host_count, -1, np.int32)
    place = 0
    for page in range(n):
        neighbours[page, 0] = last[hosts[page]]
        if is_model[page]:
            last[hosts[page]] = place
        place += is_crawled[page]
    last[:] = -1
    for page in range(n - 1, -1, -1):
        place -= is_crawled[page]
        neighbours[page, 1] = last[hosts[page]]
        if is_model[page]:
            last[hosts[page]] = place


@compiled
def _predict(
    columns: Columns,
    weights: FloatArray,
    rates: FloatArray,
    of_models: bool,
    means: FloatArray,
    sums: FloatArray,
    predicted: FloatArray,
) -> None:
    """Fill in `predicted`, `means` and `sums`, which start as zeros; see `_predicted`."""
    _, (in_offsets, in_sources), pages, of_class, of_host, (siblings, parents), neighbours = columns
    is_crawled, is_local, is_model, model_weights = pages
    class_sums, host_sums = _add_up(columns, rates, means)
    (classes, class_sizes), (host_classes, host_class_sizes) = of_class, of_host
    place = -1
    for page in range(len(is_model)):
        place += is_crawled[page]
        if is_crawled[page] and not (is_model[page] and of_models):
            continue
        if is_local[page] and not of_models:  # only the rates of external pages are needed
            continue
        own_weight = model_weights[page]
        own_rate = rates[place] if is_model[page] else 0.0
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
        families = parents[page]
        mean = 0.0
        for link in range(in_offsets[page], in_offsets[page + 1]):
            parent = in_sources[link]
            if not is_model[page]:
                mean += means[parent]
            elif siblings[parent] > 1:
                families += 1
                mean += (means[parent] * siblings[parent] - own_rate) / (siblings[parent] - 1)
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
        if not of_models and predicted[page] > 0:
            for link in range(in_offsets[page], in_offsets[page + 1]):
                sums[in_sources[link]] += predicted[page]


@compiled
def _add_up(columns: Columns, rates: FloatArray, means: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two weighted sums of the models' rates: by class, and by combination of host and class.

    Also fills in `means`, the mean rate of the models that a page links to.
    """
    _, (in_offsets, in_sources), pages, (classes, class_sizes), of_host, (siblings, _), _ = columns
    is_crawled, _, is_model, model_weights = pages
    host_classes, host_class_sizes = of_host
    class_sums, host_sums = np.zeros(len(class_sizes)), np.zeros(len(host_class_sizes))
    place = -1
    for page in range(len(is_model)):
        place += is_crawled[page]
        if is_model[page] and rates[place]:
            class_sums[classes[page]] += model_weights[page] * rates[place]
            host_sums[host_classes[page]] += model_weights[page] * rates[place]
            for link in range(in_offsets[page], in_offsets[page + 1]):
                means[in_sources[link]] += rates[place]
    for parent in range(len(means)):
        if siblings[parent]:
            means[parent] /= siblings[parent]
    return class_sums, host_sums
