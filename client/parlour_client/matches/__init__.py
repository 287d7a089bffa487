"""Matches of two bots, without a server: pairs of games from one opening, colours swapped in the second.

plan        a match to be played, as its manifest records it
referee     what is used of the server that is installed here: rules, searches, openings
players     who plays: a bot of the server's, or a file in a process of its own
pair        one pair played: the unit of work of every core and machine
workers     this process, others on this machine, or a cluster's
match       pair after pair until something ends the match, counted in the order of their numbers
tournament  matches of many, paired by the server's tournaments

What is kept of them on the disk is `cli/match_file.py`'s.
"""
