"""`python -m parlour_client`: the same as the command `parlour`."""

from parlour_client.cli.start import main

raise SystemExit(main())
