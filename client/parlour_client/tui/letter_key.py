"""Keys that are letters: shown as capitals, as they stand on a keyboard, and taken in either case."""

from textual.binding import Binding


def letter(key: str, action: str, description: str, *, tooltip: str = "", show: bool = True) -> Binding:
    """A binding of a letter, on a screen where small letters mean nothing else."""
    keys = f"{key},{key.lower()}"
    return Binding(keys, action, description, show=show, key_display=key, tooltip=tooltip)
