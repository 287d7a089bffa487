"""All that a short life of `parlour` loads, for a process off which many are forked."""

import parlour_client.batch
import parlour_client.cli
import parlour_client.exporting
import parlour_client.racing
import parlour_client.replaying
import parlour_client.reviewing
import parlour_client.session
import parlour_client.trees  # noqa: F401
from parlour_protocol import codec

# It is built when a message is first read.
codec.decode_to_client('{"type": "unheard of"}')
