"""Rooms that run: their connections, what waits, what is durable and may be shown.

Everything here lives on one event loop and never waits for a disk, a search or a slow reader: what
takes time answers through a callback.
"""
