"""The crawl loop, which carries out visits concurrently. Its pure part, `decisions`, works out what visits change."""
