"""Divides one crawl into shards, each with its own store and process: starts, watches and joins them.

driver ──► Launcher (processes of this machine) ──► shard_host ──► the engine
"""
