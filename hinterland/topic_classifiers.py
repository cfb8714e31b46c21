"""What topic classifiers are built on, and the entry-point group of plug-in topic classifiers.

A classifier is a callable without arguments that returns a `PageClassifier`. It is created once, in the process that
forks the parsers, and works in each of them: it must not start threads when it is created. If it crashes or takes too
long, the page that it was judging is lost.
"""

from hinterland.crawler.features.topics.model.topic_model import PageClassifier

__all__ = ["PageClassifier"]
