"""Archives of others taken into a store: WARC, WAT, CDXJ."""
