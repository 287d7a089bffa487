"""How a tournament stands, in words."""

from parlour_client.render.tournament import status
from parlour_server.tournament.view import tournament_view
from tests.tournament.hall import Hall, better


def test_what_comes_next_is_said() -> None:
    hall = Hall(3, format="round_robin", pause=20)

    def said() -> str:
        return status(tournament_view(hall.state, "KMRTQAB", "", (), hall.now), hall.now)

    assert said() == "open to join"
    hall.start()
    assert said() == "Round 1 of 3"
    hall.play_round(better)
    assert said() == "Round 1 of 3, the next round begins in 20 s"
    for _ in range(2):
        hall.proceed()
        hall.play_round(better)
    assert said() == "Round 3 of 3, the standings are final in 20 s"
    hall.proceed()
    assert said() == "The tournament is won by Player 1."
