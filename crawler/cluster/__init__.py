"""One crawl divided into shards, each with a store and a process of its own: how they are started, watched, joined.

driver ──► Launcher (processes of this machine) ──► shard_host ──► the engine
"""
