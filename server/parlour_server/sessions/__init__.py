"""One connection's conversation: hello, limits, routing of commands, queries."""
