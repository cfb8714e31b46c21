"""The parts of Hinterland that programs and notebooks use: a store as tables and as a graph, a crawl, a search."""
