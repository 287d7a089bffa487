"""All tests. What stands here is done before anything else of them is imported."""

import os
import sys
from pathlib import Path

from platformdirs import user_cache_path

if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    # We start Python hundreds of times, and it would compile all our files each time. Where it shall write
    # nothing beside them, it writes to our cache.
    cache = os.environ.get("PARLOUR_CACHE") or user_cache_path("parlour")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(Path(cache) / "bytecode")
    # So do this process and pytest, which else rewrites every assert of the tests and of hypothesis in each
    # of its workers.
    sys.dont_write_bytecode = False
