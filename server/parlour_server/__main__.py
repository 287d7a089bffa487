"""`python -m parlour_server` is `parlour serve` where only the server is installed."""

# Search workers import this file again: what serves is imported only when it is run.
if __name__ == "__main__":
    from parlour_server.cli import main

    main()
