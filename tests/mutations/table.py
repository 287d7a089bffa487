"""The mutations: each one bug that would break a promise of Parlour's or open what a limit closes.

They stand in `table.jsonl`, one a line. `find` is a characteristic piece of the file's text, `put` what
stands there instead. Where the code moves, only `file` and `find` have to follow:
`python -m tests.mutations --list` says where.
"""

import json
from pathlib import Path
from typing import NamedTuple

SERVER = "server/parlour_server"
CLIENT = "client/parlour_client"


class Mutation(NamedTuple):
    """One bug."""

    name: str
    file: str
    """Below the repository."""
    find: str
    """Occurs once in the file; any run of white space in it stands for any other."""
    put: str
    tests: str
    """The most likely to catch it, below `tests/`."""


_LINES = Path(__file__).with_name("table.jsonl").read_text("utf-8").splitlines()
MUTATIONS = [Mutation(**json.loads(line)) for line in _LINES]
