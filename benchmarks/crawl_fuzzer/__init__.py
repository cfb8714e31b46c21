"""The crawl fuzzer: random small sites, worked on in every mode, judged by what must hold of any site."""
