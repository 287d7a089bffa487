"""The live screen of a running server, for its keeper: `parlour top`."""
