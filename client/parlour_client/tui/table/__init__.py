"""What one sees inside a room: its board, its players, their thoughts and their talk.

The widgets take views and post messages; only `screen` talks to the room.
"""
