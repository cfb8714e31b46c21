"""The small many-host web that `run.py demo` serves on loopback and crawls."""
