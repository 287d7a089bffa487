"""Parlour's server: rooms, games, bots and the socket that serves them. `app` puts it together."""

from importlib.metadata import version

__version__ = version("parlour-server")
