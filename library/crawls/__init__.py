"""Crawls as programs and commands ask for them: prepared, carried out in one process or in several, and how they ended.

plan ──► crawl_run ──► preparing ──► the crawl, or cluster_run ──► its parts
"""
