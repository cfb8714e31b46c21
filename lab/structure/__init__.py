"""The structure of a web graph: its components, degrees, distances, density; each with its error where it is
estimated.
"""
