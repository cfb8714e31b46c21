"""Exports of what pages say, for readers and language models: Markdown, chunks, llms.txt."""
