"""The pages, the API and the metrics of a store, as one small web application that only reads, but for answers about
a topic.
"""
