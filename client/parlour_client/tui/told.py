"""What a person is told of a fault, on every screen."""

from parlour_client.faults import Fault, Refused


def told(fault: Fault) -> str:
    """Its sentence; after a wrong move with the right ones, after a wrong time with the right one."""
    if not isinstance(fault, Refused):
        return str(fault)
    from parlour_client import sentences

    return sentences.refusal(fault.refusal)
