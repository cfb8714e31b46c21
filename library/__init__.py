"""What programs and notebooks use of Hinterland: a store as tables and as a graph, a crawl, a search."""
