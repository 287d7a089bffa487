"""The log: what happened in every room, kept so that nothing acknowledged is ever lost."""
