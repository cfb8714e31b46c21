"""When to revisit known pages: revisit policies, what they cost and bring, and the schedule that follows one.

A new policy is one file, and one line in `policies`.
"""
