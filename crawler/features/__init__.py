"""What a crawl may have beside its loop, one folder each: state, settings, records, sentences."""
