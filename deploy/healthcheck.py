"""Does the server of this container answer? Ends with 1 where it does not."""

import os
import ssl
import sys
import urllib.request

port = os.environ.get("PARLOUR_PORT", "8765")
scheme = "https" if "PARLOUR_TLS_CERT" in os.environ else "http"
# To oneself no certificate says anything: it is another name's.
trusting = ssl.create_default_context()
trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
try:
    urllib.request.urlopen(f"{scheme}://127.0.0.1:{port}/healthz", timeout=4, context=trusting)
except OSError as error:
    sys.exit(f"The server does not answer: {error}")
