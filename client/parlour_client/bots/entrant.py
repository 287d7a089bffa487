"""What takes part in a match: a bot of the server's, or a file with one's own."""


def is_file(entrant: str) -> bool:
    """Was a bot's file meant, and no bot of the server's?"""
    return entrant.endswith(".py")
