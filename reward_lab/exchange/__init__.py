"""Files in and out: one format a file, each with its registry line."""
