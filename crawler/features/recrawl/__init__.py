"""Decides when to revisit known pages: revisit policies, their budgets and the freshness they bring, and a schedule.

To add a policy, write one file and add one line to `policies`.
"""
