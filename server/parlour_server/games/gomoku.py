"""Gomoku: five in a row on a board of 15 by 15, with the marks and the notation of the m,n,k games."""

from parlour_protocol.words import Sentence
from parlour_server.games.game import read_size, written
from parlour_server.games.mnk import MNK

SIZE = 15
ROW = 5


class Gomoku(MNK):
    """Five or more in a row win ("freestyle"); in the variant `exact` a longer row doesn't ("standard")."""

    variants = Sentence("game.gomoku.variants")
    usual = (f"{SIZE}×{SIZE}", "exact")

    def variant(self, parameters: str) -> MNK:
        """Read `exact`. Raises `ValueError`."""
        if read_size(parameters) == [SIZE, SIZE]:
            return GOMOKU
        if parameters.strip() != "exact":
            raise written(self.variants)
        return Gomoku(
            SIZE,
            SIZE,
            ROW,
            exact=True,
            name="gomoku:exact",
            title=Sentence("game.gomoku.title_exact"),
            summary=Sentence("game.gomoku.summary_exact", size=SIZE),
        )


GOMOKU = Gomoku(
    SIZE,
    SIZE,
    ROW,
    name="gomoku",
    title=Sentence("game.gomoku.title"),
    summary=Sentence("game.gomoku.summary", size=SIZE),
    sample="h8 h7 g8 h9 g9 j8",
)
