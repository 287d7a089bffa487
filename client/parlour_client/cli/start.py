"""The console entry: the language is chosen before anything is imported that says something."""

import sys

from parlour_protocol.words.choice import take_option


def main() -> int:
    """Run the command line in the language that is asked for; its exit code."""
    wrong = take_option(sys.argv)
    if wrong is not None:
        print(wrong, file=sys.stderr)
        return 2
    from parlour_client.cli.app import main as run

    return run()
