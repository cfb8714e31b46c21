"""A crawl put together from settings, seeds and a store, ready to run."""
