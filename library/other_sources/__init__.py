"""Lists of inlinks from other sources, given as files. They name links into the domain that the crawl cannot find."""
