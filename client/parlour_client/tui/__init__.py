"""The full-screen client: a lobby, tables, dialogs. `opening.run` opens it.

`app` holds the one connection and every screen; widgets take data and post messages, and know neither.
No module here is imported before somebody wants the full screen, and none of the wire's before its first
paint.
"""
