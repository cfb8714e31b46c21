"""Crawls as programs and commands ask for them: prepared, carried out in one process or several, and summed up.

plan ──► crawl_run ──► preparing ──► the crawl, or cluster_run ──► its shards
"""
