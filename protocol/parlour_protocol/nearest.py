"""What somebody meant who wrote a name that there is not."""

from collections.abc import Iterable

ALIKE = 0.6
"""From so much likeness on, of 1, a name may have been meant."""
AS_LIKE = 0.1
"""And by so much less than the most alike one."""
LONGEST = 64
"""Letters that are compared: strangers may write any number."""


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """The names that are most alike, if any are: no more than three."""
    # Not needed but where something is wrong.
    from difflib import SequenceMatcher

    name = name[:LONGEST].casefold()
    alike = {one: SequenceMatcher(None, name, one.casefold()).ratio() for one in names}
    best = max(alike.values(), default=0.0)
    near = [one for one, ratio in alike.items() if ratio >= max(ALIKE, best - AS_LIKE)]
    return sorted(near, key=lambda one: -alike[one])[:3]
