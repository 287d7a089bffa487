"""What a bot's file may use."""

MEMORY = 2**30
"""The bytes that its process may hold with all that it starts, unless another limit is given."""
LEAST_MEMORY = 64 * 2**20
"""Python itself takes half of it."""


def size(count: int) -> str:
    """So many bytes in words: `1 GB`, `300 MB`."""
    unit, sign = (2**30, "GB") if count >= 2**30 else (2**20, "MB")
    return f"{count / unit:.3g} {sign}"
