// Tic-tac-toe on Colyseus, the way its documentation makes a turn-based game: a schema for the state, one
// handler a message. A patch goes out with each move: its default, every 50 ms, would make each move wait.
import { Room, Server } from "@colyseus/core";
import { schema, t } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";

const State = schema({ cells: t.array("uint8"), turn: t.uint8(), winner: t.uint8(), draw: t.boolean() });
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

class TicTacToe extends Room {
  maxClients = 2;
  patchRate = null;
  autoDispose = true;
  state = new State();
  #seats = [];
  #again = new Set();

  messages = {
    play: (client, cell) => {
      const seat = this.#seats.indexOf(client.sessionId);
      const { cells, turn, winner, draw } = this.state;
      if (winner || draw || turn !== seat || !Number.isInteger(cell) || cells[cell] !== 0) return;
      cells[cell] = seat + 1;
      if (LINES.some(line => line.every(at => cells[at] === seat + 1))) this.state.winner = seat + 1;
      else if (cells.every(mark => mark)) this.state.draw = true;
      this.state.turn = 1 - turn;
      this.broadcastPatch();
    },
    rematch: client => {
      if (!this.state.winner && !this.state.draw) return;
      this.#again.add(client.sessionId);
      if (this.#again.size < 2) return;
      this.#again.clear();
      this.#begin();
      this.broadcastPatch();
    },
  };

  onCreate() {
    for (let at = 0; at < 9; at++) this.state.cells.push(0);
    this.#begin();
  }

  onJoin(client) {
    this.#seats.push(client.sessionId);
  }

  #begin() {
    for (let at = 0; at < 9; at++) this.state.cells[at] = 0;
    Object.assign(this.state, { turn: 0, winner: 0, draw: false });
  }
}

const server = new Server({ greet: false, transport: new WebSocketTransport({ pingInterval: 6000 }) });
server.define("tictactoe", TicTacToe);
await server.listen(Number(process.argv[2]), "127.0.0.1");
console.log(JSON.stringify({ url: `ws://127.0.0.1:${process.argv[2]}` }));
process.stdin.on("end", () => process.exit()).resume();
