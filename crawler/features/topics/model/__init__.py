"""Defines topics, and computes how likely a page is about one. Pure; judging a page needs only numpy.

The data flow:

1. A page is its title, its headings, its visible text and the texts of its links (`PageContent`).
2. `page_words` turns it into a sparse row (`PageWordCounts`): buckets of hashed words, and how often each occurs.
   Words of the text have one half of the buckets, words of the title and headings the other half.
3. A topic (`Topic`, one file NAME.topic) is a list of examples (row, yes or no, host, address), the words that named
   it, and a model.
4. `training` makes the model from examples and from a random sample of a store's pages, whose labels nobody knows.
5. A `TopicModel` is two arrays and a constant. It gives P(topic | page), and the words that speak for and against the
   topic.
6. When all pages of a store are judged, the log-odds of all pages (`bar`) or a user's answers (`answered_bar`) set the
   bar above which a page counts as relevant. A page at the bar then has P = 1/2, which is `RELEVANT`.
"""
