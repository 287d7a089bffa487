"""The line-by-line client."""
