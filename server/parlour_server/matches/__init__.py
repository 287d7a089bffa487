"""Games of a match within one process: no rooms, no sockets, nobody is waited for.

A client that has a match to play loads this package by its name, as it does the query server: the protocol of
`parlour_client.matches.referee` says what it takes of it.

    referee      a game's rules and the bots that play it here, one game after the other
    openings     the positions at which games begin: balanced, and the same for a seed
"""
