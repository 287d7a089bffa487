"""One node among others: its lease and the rooms' leases, its posts, and the messages between nodes."""
