"""The figures and tables of the papers, made again: each paper has a module here, and a section in docs/papers.md.

    python -m benchmarks.papers PAPER ... [--write] [--sources FILE ...]

Prints the section of each paper, as Markdown; with --write it takes the place of the section in docs/papers.md. FILE:
link stores and graphs; without them those graphs of ../shared/data/webgraphs that the paper's module asks for.
"""
