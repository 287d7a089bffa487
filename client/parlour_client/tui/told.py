"""What a person is told of a fault, on every screen."""

from parlour_client.faults import Fault, Refused


def told_of_a_game(fault: Fault) -> str:
    """The same of a game that one had: nobody typed a code that could be wrong."""
    from parlour_protocol.errors import Code

    if isinstance(fault, Refused) and fault.code is Code.UNKNOWN_ROOM:
        return "This server no longer has that game."
    return told(fault)


def told(fault: Fault) -> str:
    """Its sentence; after a wrong move with the right ones, after a wrong time with the right one."""
    if not isinstance(fault, Refused):
        return str(fault)
    from parlour_client import sentences

    return sentences.refusal(fault.refusal)
