"""A cluster whose nodes are killed, paused and cut off while people play: `python -m bench.faults`."""
