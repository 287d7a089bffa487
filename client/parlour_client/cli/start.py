"""The console entry: the language is chosen before anything is imported that says something."""

import os
import sys

from parlour_protocol.words import available, find, say
from parlour_protocol.words.choice import VARIABLE

OPTION = "--lang"


def main() -> int:
    """Run the command line in the language that is asked for; its exit code."""
    wanted = _take_language(sys.argv)
    if wanted is not None:
        tag = find(wanted)
        if tag is None:
            print(say("command.no_language", asked=repr(wanted[:24]), known=available()), file=sys.stderr)
            return 2
        # For processes that this one starts, too.
        os.environ[VARIABLE] = tag
    from parlour_client.cli.app import main as run

    return run()


def _take_language(arguments: list[str]) -> str | None:
    """What stands behind `--lang`, wherever that is, taken out of the arguments; None: it is not there."""
    wanted = None
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for at in range(len(own) - 1, 0, -1):
        if own[at] == OPTION and at + 1 < len(own):
            wanted = own[at + 1]
            del arguments[at : at + 2]
        elif own[at].startswith(f"{OPTION}="):
            wanted = own[at].removeprefix(f"{OPTION}=")
            del arguments[at]
    return wanted
