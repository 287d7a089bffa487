"""Commands as they are built from what a caller gave: what can't be meant is refused here, in a sentence."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from parlour_client.sdk.errors import UsageError
from parlour_client.sdk.requests import new_id
from parlour_protocol.words import say, spoken, what_is_wrong

M = TypeVar("M", bound=BaseModel)


def command(kind: type[M], **given: Any) -> M:
    """A command of this kind, under a fresh id. Raises `UsageError` for a value that no server takes."""
    return checked(kind, {"id": new_id(), **given})


def checked(kind: type[M], given: dict[str, Any]) -> M:
    """A model of these values. Raises `UsageError`, which names the first one that is wrong."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in wrong["loc"])
        raise UsageError(say("invalid.field", field=where, why=spoken(what_is_wrong(wrong)))) from None
