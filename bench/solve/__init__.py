"""Games solved, as witnesses that take too long for a test."""
