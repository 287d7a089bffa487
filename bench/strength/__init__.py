"""How strong the bots are, by matches: `python -m bench strength`. See docs/benchmarks.md."""
