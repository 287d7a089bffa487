"""Others' servers, each playing the same games of tic-tac-toe with rematches, and how they are played."""
