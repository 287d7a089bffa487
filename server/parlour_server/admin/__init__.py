"""What the server's host asks and does, over a socket on the same machine."""
