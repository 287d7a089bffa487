"""What the server's keeper asks and does, over a socket on the same machine."""
