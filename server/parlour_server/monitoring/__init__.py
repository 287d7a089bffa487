"""What a server's keeper sees: its metrics, whether it is ready, its log."""
