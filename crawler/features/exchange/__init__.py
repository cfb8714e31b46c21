"""Splits a crawl into shards: which shard a host belongs to, what shards send each other, and when all are done."""
