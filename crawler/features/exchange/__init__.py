"""A crawl in parts: which part a host belongs to, and what each may do at once. Pure."""
