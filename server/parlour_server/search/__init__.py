"""Bots that think: algorithms, the kernels that make them fast, the levels for people, what is reported."""
