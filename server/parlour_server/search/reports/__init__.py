"""What searches are shown by beside a move: grades of moves, game trees, races of algorithms."""
