"""Bring your own bot: a file with a function `choose(position)`, seated, matched and checked.

position    what `choose` is given: the board, the legal moves, and what comes after each of them
rules       the games' rules, where parlour-server is installed: `position.play` needs them
file        the file: loaded, and what it returns made sense of
worker      the process in which it runs, so that it may think as long as it likes
supervisor  runs that process within its limits, and ends all that it has started
limits      those limits
process     that process from outside: asked for moves, stopped when it is too slow
errors      what can go wrong with it
player      a bot process in a room: game after game, offers answered, errors reported
host        `parlour bot`: join a room, or make rooms and wait for challengers
entrant     what takes part in a match: a bot of the server's, or a file
check       `parlour bot --check`
"""
