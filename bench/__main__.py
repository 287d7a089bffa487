"""`python -m bench`."""

import sys

if __name__ == "__main__":
    if sys.platform != "linux":
        sys.exit("The benchmark pins processes to cores and reads their CPU clocks as only Linux lets it.")
    from bench.cli import main

    sys.exit(main())
