"""Exports of the content of pages, for readers and language models: Markdown, chunks, llms.txt."""
