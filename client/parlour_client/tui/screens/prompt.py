"""A question at a table that takes the next key; any key that answers nothing withdraws it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Answers = Mapping[str, tuple[str, Callable[[], None] | None]]
"""Keys, each with its label and what it does; None withdraws the question."""


@dataclass(frozen=True, slots=True)
class _Question:
    sentence: str
    answers: Answers


class Prompt:
    """At most one question at a time. `listening` is called with False while one stands."""

    def __init__(self, listening: Callable[[bool], None]) -> None:
        self._listening = listening
        self._question: _Question | None = None

    @property
    def sentence(self) -> str:
        """The question; empty where there is none."""
        return self._question.sentence if self._question is not None else ""

    @property
    def labels(self) -> dict[str, str]:
        """The keys that answer it, with what they say."""
        answers = self._question.answers if self._question is not None else {}
        return {key: label for key, (label, _) in answers.items()}

    def ask(self, sentence: str, answers: Answers) -> None:
        """Ask."""
        self._question = _Question(sentence, answers)
        self._listening(False)

    def withdraw(self) -> None:
        """It means nothing any more."""
        self._question = None
        self._listening(True)

    def answer(self, key: str) -> bool:
        """Take a key, small letters as capitals; False where no question stands."""
        question = self._question
        if question is None:
            return False
        self.withdraw()
        _, answer = question.answers.get(key) or question.answers.get(key.upper()) or ("", None)
        if answer is not None:
            answer()
        return True
