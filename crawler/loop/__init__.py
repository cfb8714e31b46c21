"""The crawl loop: visits carried out beside each other, and in `decisions`, its pure half, what each changes."""
