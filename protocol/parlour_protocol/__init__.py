"""What Parlour's server and clients say to each other: JSON text frames, subprotocol ``parlour.v1``.

Messages are named by direction: :mod:`to_server` is what a client may ask, :mod:`to_client` what a
server may say. :mod:`codec` is the only way from text to a message and back.
"""

SUBPROTOCOL = "parlour.v1"
PROTOCOL_VERSION = 1
DEFAULT_PORT = 8765
"""Where `parlour serve` listens, and where a client looks for a server on its own machine."""
