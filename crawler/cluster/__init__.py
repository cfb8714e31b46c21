"""One crawl in several parts, each with a store and a process of its own: how they are started, watched and joined.

driver ──► Launcher (processes of this machine) ──► shard_host ──► the engine
"""
