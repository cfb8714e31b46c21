"""The base of topic classifiers in plug-ins; `hinterland.topic_classifiers` is also their entry-point group.

A classifier is a callable without arguments that returns a `PageClassifier`. It is created once, in the process that
forks the parsers, and works in each parser. So it must not start threads when it is created. If it crashes or takes too
long, the page that it was judging is lost.
"""

from hinterland.crawler.features.topics.model.topic_model import PageClassifier

__all__ = ["PageClassifier"]
