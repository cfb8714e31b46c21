"""The structure of a graph for people: its figures in words, and its pictures as coordinates for SVG."""
