"""What a fuzzer's bytes mean: to the codec a message, to a server what several people send in turn."""

from parlour_protocol.codec import BadMessage, decode_to_server
from tests.fuzz.conversation import PEOPLE, Broken, Conversation

MOST_LINES = 40


def read(data: bytes) -> None:
    """Read the bytes as a message, which comes out the same when it is read again. Raises `Broken`."""
    text = data.decode(errors="ignore")
    try:
        message = decode_to_server(text)
    except BadMessage as error:
        if not str(error).strip():
            raise Broken(f"refused without a word: {text!r}") from error
        return
    if decode_to_server(message.model_dump_json()) != message:
        raise Broken(f"is not what it was when it is read again: {text!r}")


def play(data: bytes) -> None:
    """Have each line sent, by whom its first byte says; a line that begins with a digit is a pause.

    Raises `Broken`.
    """
    with Conversation() as conversation:
        for line in data.split(b"\n")[:MOST_LINES]:
            first = line[:1]
            if first.isdigit():
                conversation.pass_time(10.0 ** (int(first) % 5))
            elif first == b"?":
                conversation.think()
            elif first == b"!":
                conversation.hang_up(len(line) % PEOPLE)
            elif first:
                conversation.send(first[0] % PEOPLE, line[1:].decode(errors="ignore"))
        conversation.check()
