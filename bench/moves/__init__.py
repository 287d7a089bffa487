"""How long a move takes the server without sockets: each game's, beside another checkout's."""
