"""The interface of frontier policies, and base classes for most of them."""
