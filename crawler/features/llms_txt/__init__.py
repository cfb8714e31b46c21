"""Adds llms.txt, the file in which a site lists pages for language models, to the seeds of a crawl."""
