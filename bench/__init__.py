"""How fast Parlour is, beside a stock echo server on the same machine at the same time.

`python -m bench` measures; docs/benchmarks.md tells what each figure means and how to trust it.
"""


class BenchError(Exception):
    """The run measured nothing: a server died, refused a move or fell silent. Says which."""
