"""Actors: each hosts one thing that is what its log says, and knows nothing of what that is."""
