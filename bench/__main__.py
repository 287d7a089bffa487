"""`python -m bench`, alone or with the name of another benchmark."""

import sys

if __name__ == "__main__":
    which, rest = sys.argv[1:2], sys.argv[2:]
    if which == ["search"]:
        from bench.search.cli import main as search

        sys.exit(search(rest))
    if which == ["page"]:
        from bench.page import main as page

        sys.exit(page(rest))
    if which == ["strength"]:
        from bench.strength.cli import main as strength

        sys.exit(strength(rest))
    if which == ["moves"]:
        from bench.moves.cli import main as moves

        sys.exit(moves(rest))
    if which == ["messages"]:
        from bench.messages.cli import main as messages

        sys.exit(messages(rest))
    if sys.platform != "linux":
        sys.exit("The benchmark pins processes to cores and reads their CPU clocks as only Linux lets it.")
    if which == ["cluster"]:
        from bench.cluster import main as cluster

        sys.exit(cluster(rest))
    from bench.cli import main

    peers = which == ["peers"]
    sys.exit(main(rest if peers else sys.argv[1:], peers=peers))
