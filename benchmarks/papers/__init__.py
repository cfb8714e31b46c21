"""The figures and tables of the papers, made again: each paper has a module here, and a section in docs/papers.md.

    python -m benchmarks.papers --crawls webfarm.db --write      # all of them
    python -m benchmarks.papers PAPER ... [--crawls FILE ...] [--write]

Prints the section of each paper, as Markdown; with --write it takes the place of the section in docs/papers.md. Papers
that measure the real web are made again with graphs of ../shared/data/webgraphs, and with the crawls that are named:
docs/papers.md has one of the webfarm's full set, a store called webfarm.db.
"""
