"""Boards as pictures, for any game: drawn once, as shapes, and written as SVG. Pure."""
