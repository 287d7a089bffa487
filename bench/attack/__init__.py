"""What attacks do to honest people, measured: `python -m bench.attack` prints the table.

processes  the server, the people and the attackers, each in a process of its own
people     honest people: rooms that play, games against bots, newcomers, people who wait for a friend
attacker   an attacker's connection: sends what it likes, reads if it likes
attacks    the attacks, by name
probes     what is right or wrong, and not fast or slow: names, secrets, clocks, flipped bits
rows       each row of the table: its attack, its server's settings, its verdict
soak       a mixed population for long, and the server's memory
"""
