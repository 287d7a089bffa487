"""Others' servers, each playing the same tic-tac-toe with rematches, and how their rooms are played."""
