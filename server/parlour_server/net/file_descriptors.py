"""File handles: each connection takes one, and the data file and the searches need some as well."""

import errno
import os
import sys

RESERVE = 256
"""Handles that are kept for everything but connections; of few handles, half of them.

Also for the hundred that are accepted in one turn of the loop before the first of them can be turned away.
"""
MOST_ON_WINDOWS = 16_384


def room_for(connections: int) -> int:
    """Raise this process's limit as far as it takes; gives for how many connections there are handles."""
    if sys.platform == "win32":
        return min(connections, MOST_ON_WINDOWS)
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + RESERVE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        if wanted > soft:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    if soft == resource.RLIM_INFINITY:
        return connections
    return min(connections, max(soft - RESERVE, soft // 2))


def run_short() -> bool:
    """Are hardly any handles left? Costs two system calls."""
    if sys.platform == "win32":
        return False
    import resource

    try:
        # The kernel gives the lowest number that is free.
        free = os.dup(0)
    except OSError as error:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    os.close(free)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return limit != resource.RLIM_INFINITY and free > limit - min(RESERVE, limit // 2) // 2
