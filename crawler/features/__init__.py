"""The optional parts of a crawl, each in a folder with its state and its link to the crawl loop."""
