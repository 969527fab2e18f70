"""What the UI, the CLI and Python callers do: each service is one job of theirs, free of any of the three."""
