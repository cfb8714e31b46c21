"""The crawl loop: concurrent visits, and in `decisions`, its pure half, what each visit changes."""
