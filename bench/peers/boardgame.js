// Tic-tac-toe on boardgame.io, in memory. Its games end for good, so that a rematch is a move here: its own
// way is another match over HTTP, which would cost far more.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { Server, Origins } = require("boardgame.io/server");
const { ActivePlayers, INVALID_MOVE } = require("boardgame.io/core");

const LINES = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
];
const begin = () => ({ cells: Array(9).fill(null), turn: 0, over: false, again: [false, false] });

const TicTacToe = {
  name: "tictactoe",
  setup: begin,
  turn: { activePlayers: ActivePlayers.ALL },
  moves: {
    play: ({ G, playerID }, cell) => {
      if (G.over || G.turn !== Number(playerID) || G.cells[cell] !== null) return INVALID_MOVE;
      G.cells[cell] = playerID;
      G.turn = 1 - G.turn;
      G.over =
        LINES.some(line => line.every(at => G.cells[at] === playerID)) ||
        G.cells.every(mark => mark !== null);
    },
    rematch: ({ G, playerID }) => {
      if (!G.over) return INVALID_MOVE;
      G.again[Number(playerID)] = true;
      if (G.again.every(Boolean)) Object.assign(G, begin());
    },
  },
};

const server = Server({ games: [TicTacToe], origins: [Origins.LOCALHOST] });
const say = console.log;
console.log = () => {}; // what it says of itself
const running = await server.run(Number(process.argv[2]));
say(JSON.stringify({ url: `ws://127.0.0.1:${running.appServer.address().port}` }));
process.stdin.on("end", () => process.exit()).resume();
