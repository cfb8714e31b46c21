"""The crawl loop, which carries out visits concurrently; its pure half, `decisions`, works out what each changes."""
