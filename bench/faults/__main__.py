"""`python -m bench.faults`: see `bench.faults.run`."""

import sys

from bench.faults.run import main

if __name__ == "__main__":
    sys.exit(main())
