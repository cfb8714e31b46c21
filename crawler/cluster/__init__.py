"""One crawl divided into shards, each with its own store and process: how shards are started, watched and joined.

driver ──► Launcher (processes of this machine) ──► shard_host ──► the engine
"""
