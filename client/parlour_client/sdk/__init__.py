"""The library: connection, client, rooms."""
