"""The web application of a store: pages, API and metrics.

It only reads, except for answers about a topic and IndexNow notices.
"""
