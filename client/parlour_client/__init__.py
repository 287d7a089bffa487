"""Play on a Parlour server: a connection that returns by itself, and a terminal."""
