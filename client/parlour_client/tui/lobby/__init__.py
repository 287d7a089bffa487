"""The lobby: what can be played, what is being played, and one's own rooms."""
