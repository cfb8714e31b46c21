"""The crawl put together: from settings, seeds and a store to a loop that runs."""
