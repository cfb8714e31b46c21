"""Decides when to revisit known pages: revisit policies, what they cost and bring, and a schedule.

To add a policy, write one file and add one line to `policies`.
"""
