"""How fast the searches are: `python -m bench search`. See docs/benchmarks.md."""
