"""Others' servers, each playing the same games of tic-tac-toe with rematches, and how their rooms are played."""
