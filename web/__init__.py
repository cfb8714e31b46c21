"""The web application of a store: pages, API and metrics.

It only reads the store, except that it stores answers about a topic and IndexNow notices.
"""
