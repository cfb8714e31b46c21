"""PDFs of strangers and of enemies, read as a crawl reads them."""
