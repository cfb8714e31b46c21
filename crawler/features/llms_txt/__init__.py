"""Begins a crawl also with what sites list for language models, in llms.txt."""
