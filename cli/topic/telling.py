"""`topic list`, `show`, `test` and `export`: the contents of topics, and how well a topic's model judges pages."""

from __future__ import annotations

import math
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from hinterland.cli.output import Output
from hinterland.cli.topic.making import store_of
from hinterland.crawler.features.topics.files.page_files import UrlList, is_url, read_example
from hinterland.crawler.features.topics.files.stored_pages import page_at
from hinterland.crawler.features.topics.files.topic_files import NoTopic, path_of, read_topic, topics_in
from hinterland.crawler.features.topics.model.page_words import PageWordCounts
from hinterland.crawler.features.topics.model.testing import Measure, TestReport, report
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.topic_model import Reason, probability
from hinterland.crawler.features.topics.model.training import CannotTrain, train
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import counted, json_text, printable, shortened, size, table
from hinterland.storage.reading.opening import reading

_MEASURES = ("precision", "recall", "f1", "macro_f1", "calibration_error")
_NAMES = ("precision", "recall", "F1", "F1, mean of both kinds", "calibration error")


def list_topics(folder: Path) -> None:
    """List the topics in a folder. If a file is damaged, say what is wrong with it."""
    rows: list[Sequence[str]] = []
    for path in topics_in(folder):
        try:
            topic = read_topic(path)
        except NoTopic as error:
            rows.append((path.name, f"cannot be used: {error}"))
        else:
            about = sum(example.is_about for example in topic.examples)
            others = len(topic.examples) - about
            rows.append((path.name, f"{about} like, {others} unlike  {shortened(printable(topic.words), 40)}".rstrip()))
    output = Output(sys.stdout)
    output.write("\n".join(table(rows, indent="")) if rows else f"there is no topic in {folder}; `topic new` makes one")


def show(arguments: Namespace) -> None:
    """Print the content of a topic, or how it judges one page."""
    path = path_of(arguments.name)
    topic = read_topic(path)
    output = Output(sys.stdout)
    judged = None if not arguments.page else _judged(topic, arguments)
    if arguments.json:
        output.write(json_text(as_object(topic) | ({} if judged is None else {"page": judged})))
        return
    if judged is not None:
        output.write("\n".join(_why(judged)))
        return
    output.write("\n".join(_description(topic, path)))


def export(arguments: Namespace) -> None:
    """Write only the model to a file, or the examples as JSON to stdout."""
    topic = read_topic(path_of(arguments.name))
    if not arguments.out:
        Output(sys.stdout).write(json_text(as_object(topic)))
        return
    data = topic.model.to_bytes()
    try:
        Path(arguments.out).write_bytes(data)
    except OSError as error:
        raise HinterlandError(f"{arguments.out} cannot be written: {error.strerror}") from error
    Output(sys.stdout).write(f"{arguments.out}: the model of {topic.name}, {size(len(data))}")


def test(arguments: Namespace) -> None:
    """Train again on the examples: judge the examples of each host by a model trained on the other hosts."""
    topic = read_topic(path_of(arguments.name))
    given = [example for example in topic.examples if example.is_given]
    if not given or all(example.is_about for example in given) or not any(example.is_about for example in given):
        raise CannotTrain(
            f"{topic.name} cannot be tested: that needs examples that you have judged, of the topic and of others;"
            " `topic review` asks for them"
        )
    trained = train(topic.examples, topic.background)
    found = report(topic.examples, trained.held_out)
    output = Output(sys.stdout)
    output.write(json_text(asdict(found)) if arguments.json else "\n".join(_tested(found)))


def as_object(topic: Topic) -> dict[str, object]:
    """Return a topic as JSON values."""
    return {
        "name": topic.name,
        "words": topic.words,
        "prior": topic.model.prior,
        "pages_drawn": len(topic.background.pages),
        "examples": [
            {
                "address": each.address,
                "is_about": each.is_about,
                "is_given": each.is_given,
                "words": len(each.page.buckets),
            }
            for each in topic.examples
        ],
    }


def _description(topic: Topic, path: Path) -> Iterator[str]:
    about = [example for example in topic.examples if example.is_about]
    chosen = sum(not example.is_given for example in topic.examples)
    yield f"{path}  {size(path.stat().st_size)}"
    if topic.words:
        yield f"  words: {printable(topic.words)}"
    yield (
        f"  {counted(len(about), 'example')} of the topic from {counted(len({each.host for each in about}), 'host')},"
        f" {len(topic.examples) - len(about)} of others"
        + (f"; {chosen} of them chosen by the words, not judged by you" if chosen else "")
    )
    yield f"  {counted(len(topic.background.pages), 'page')} sampled; {topic.model.prior:.1%} assumed to be about it"
    rows = []
    for each in topic.examples:
        chance = probability(topic.model.log_odds(each.page))
        rows.append(("like" if each.is_about else "unlike", f"{chance:.2f}", printable(each.address)))
    yield from table(rows)


def _judged(topic: Topic, arguments: Namespace) -> dict[str, object]:
    """Return how the model judges the page that --page names."""
    model = topic.model
    if is_url(arguments.page):
        store = store_of(arguments)
        if store is None:
            raise HinterlandError("to judge a URL, name the store that holds the page with --store; or give a file")
        with reading(store) as reader:
            page = page_at(reader, arguments.page)
        if page is None:
            raise HinterlandError(f"{store} has no text of {arguments.page}")
        reasons = model.reasons(page.title, page.headings, page.excerpt)
        return _as_object(arguments.page, page.words, topic, reasons)
    example = read_example(Path(arguments.page), is_about=True)
    if isinstance(example, UrlList):
        raise HinterlandError(f"{arguments.page} is a list of URLs; --page takes one page")
    return _as_object(arguments.page, example.page, topic, ([], []))


def _as_object(
    address: str, words: PageWordCounts, topic: Topic, reasons: tuple[Sequence[Reason], Sequence[Reason]]
) -> dict[str, object]:
    return {
        "address": address,
        "probability": probability(topic.model.log_odds(words)),
        "for": [asdict(reason) for reason in reasons[0]],
        "against": [asdict(reason) for reason in reasons[1]],
    }


def _why(judged: dict[str, object]) -> Iterator[str]:
    yield f"{judged['probability']:.3f}  {printable(str(judged['address']))}"
    for kind in ("for", "against"):
        reasons = judged[kind]
        assert isinstance(reasons, list)
        if reasons:
            words = ", ".join(f"{printable(each['words'])} {each['log_odds']:+.2f}" for each in reasons)
            yield f"  {kind}: {words}"


def _tested(found: TestReport) -> Iterator[str]:
    yield (
        f"{counted(found.yes, 'example')} of the topic from {counted(found.hosts_of_yes, 'host')}, {found.no} of others"
        f" from {counted(found.hosts_of_no, 'host')}; each judged by a model trained on other hosts"
    )
    measures = [getattr(found, name) for name in _MEASURES]
    yield from table([(name, *_numbers(each)) for name, each in zip(_NAMES, measures, strict=True)], right=(1,))
    for warning in found.warnings:
        yield f"warning: {warning}"


def _numbers(measure: Measure) -> tuple[str, str]:
    if math.isnan(measure.value):
        return "-", "(nothing was judged to be about it)"
    return f"{measure.value:.2f}", f"({measure.interval[0]:.2f} to {measure.interval[1]:.2f})"
