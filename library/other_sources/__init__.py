"""What others know about links into the domain, which no crawl can find: lists of inlinks given as files."""
