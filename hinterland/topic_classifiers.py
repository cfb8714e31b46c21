"""What topic classifiers are made of; `hinterland.topic_classifiers` is also the group of the entry points that offer
some.

A classifier is what is called with nothing and returns a `PageClassifier`. It is made once in the process that forks
the parsers, and works in each of them: it must not start threads when it is made, and a page that it takes too long
for, or crashes on, is lost.
"""

from hinterland.crawler.features.topics.model.topic_model import PageClassifier

__all__ = ["PageClassifier"]
