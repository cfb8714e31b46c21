"""The crawl loop, which carries out visits concurrently; its pure part, `decisions`, works out what they change."""
