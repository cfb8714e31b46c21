"""The optional parts of a crawl, one folder each: state, settings, records, texts."""
