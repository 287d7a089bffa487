"""Exercises over a connection: asked for, answered, and the solution kept until then."""

from typing import Any

from tests.hosting.harness import HostingHarness, Person, settle


async def ask(person: Person, **fields: Any) -> dict[str, Any]:
    asked = person.say("exercise", **fields)
    await settle()
    (received,) = person.answers(asked)
    return received


async def test_the_solution_comes_with_an_answer(harness: HostingHarness) -> None:
    ada, ben = await harness.person(), await harness.person("Ben")
    asked, other = await ask(ada, lesson="alphabeta", number=3), await ask(ben, lesson="alphabeta", number=3)
    assert (asked["game"], asked["choices"]) == (other["game"], other["choices"])
    assert not {"right", "solution", "why"} & {name for name, value in asked.items() if value}
    wrong = await ask(ada, lesson="alphabeta", number=3, answer=["b1"])
    assert (wrong["right"], wrong["why_said"]["id"]) == (False, "lesson.alphabeta.why")
    assert (await ask(ada, lesson="alphabeta", number=3, answer=wrong["solution"]))["right"]


async def test_what_is_no_exercise_is_refused(harness: HostingHarness) -> None:
    ada = await harness.person()
    for fields in (
        {"lesson": "chess"},
        {"lesson": "mcts", "number": 0},
        {"lesson": "mcts", "answer": ["a"] * 21},
    ):
        assert (await ask(ada, **fields))["code"] == "bad_message"
