"""A room as a pure state machine: a command goes in, events come out, and state is their fold.

`decide` looks at a state and proposes events, or refuses; `evolve` folds an event and never refuses.
No clock, no socket, no randomness of its own: a whole game can be played in a REPL.

    waiting --both seats taken--> playing --line, full board, resignation--> finished
       ^                            ^                                          |
       |                            +----------both offered a rematch----------+
       +------------------------------a player stands up-----------------------+
    any of them --the owner closes it, or no one came for long--> closed
"""
