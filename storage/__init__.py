"""The link store: one SQLite file that holds what a crawl knows, as truth and as log.

This package knows SQL, pages and links; it knows nothing of crawling and imports nothing of ours. `link_store` is for
the crawl that writes, `reading` for all who look on; what is handed in and out are the plain values of `values`.
docs/schema.md explains the tables to those who ask the file their own questions.
"""
