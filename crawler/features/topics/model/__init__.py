"""What a topic is, and how likely a page is about it. Pure; numpy is all that reading a page needs.

The data that flows:

1. A page is its title, its headings, its visible text and the texts of its links (`PageContent`).
2. `page_words` makes a sparse row of it: buckets of hashed words, and how often each occurs (`WordCounts`). Words of
   the text and those of title and headings have buckets of their own.
3. A topic is a list of examples (row, yes or no, host, address), the words it was named by, and a model
   (`Topic`, one file NAME.topic).
4. `training` makes the model of examples and of pages drawn by lot from a store, whose labels nobody knows.
5. A `TopicModel` is two arrays and a constant. It says P(topic | page), and which words spoke for and against.
"""
