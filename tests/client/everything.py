"""All that a short life of `parlour` loads, for a process off which many are forked."""

import parlour_client.cli.app
import parlour_client.cli.batch
import parlour_client.cli.export
import parlour_client.cli.lab
import parlour_client.cli.replay
import parlour_client.cli.review
import parlour_client.cli.session
import parlour_client.cli.trees  # noqa: F401
from parlour_protocol import codec

# It is built when a message is first read.
codec.decode_to_client('{"type": "unheard of"}')
