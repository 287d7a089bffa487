"""The Universal Chess Interface, for games whose moves are written as UCI has them: see `ugi`."""

from collections.abc import Sequence

from parlour_client.bots.interfaces.base import Choose, Interface
from parlour_client.bots.interfaces.ugi import Conversation


def _speak(command: Sequence[str]) -> Choose:
    return Conversation(command, "uci").choose


INTERFACE = Interface("uci", (), _speak, is_program=True)
