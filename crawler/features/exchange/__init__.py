"""A crawl split into shards: which shard a host belongs to, and what each shard may do at once. Pure."""
