"""WebSocket and HTTP on one port: sockets, limits of size and time, origins."""
