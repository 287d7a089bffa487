"""`python -m parlour_server` is `parlour serve` where only the server is installed."""

# Search workers import this file again: what serves is imported only when it is run.
if __name__ == "__main__":
    import gc
    import sys

    # To import what a server needs leaves no garbage.
    gc.set_threshold(20_000, 20, 20)
    # Where structlog finds rich it loads it, for colourful tracebacks: a seventh of the time until a server
    # is ready. Our logs are plain.
    sys.modules["rich"] = None  # type: ignore[assignment]
    import structlog  # noqa: F401

    del sys.modules["rich"]

    from parlour_protocol.words.choice import take_option

    # Before anything is imported that says something.
    wrong = take_option(sys.argv)
    if wrong is not None:
        sys.exit(wrong)
    from parlour_server.cli import main

    main()
