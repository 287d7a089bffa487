"""Load for a server: many players in processes of their own, whose games and waiting times are checked.

plan       what to play, and what came of it
histogram  waiting times, as shares of all
connection a WebSocket on a bare asyncio protocol
player     one player's connection: hello, commands, a room's view
room       two players, or one and a bot, who play game after game
worker     a process with a share of the rooms
run        starts the processes and adds up what they found
"""
