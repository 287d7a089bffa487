"""The commands of `parlour`."""
