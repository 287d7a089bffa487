"""What is asked before something happens: a new room, a code, a yes or a no."""
