// A whole client in plain JavaScript, for Node 18 or newer, without packages. It knows the rules of no game
// and of no table: it draws the position that it gets, and offers what the view's `may` lists. See
// docs/protocol.md.
//
//   node examples/client.mjs --create connect4 --bot easy      make a room, sit down and call a bot
// node examples/client.mjs --join KMRTQA take the free seat there; watch where there is none
//   Also: --server ws://HOST:PORT, --name NAME, and --random, which plays by chance until the game is over.
import { randomBytes, randomUUID } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: {
    server: { type: "string", default: "ws://127.0.0.1:8765" },
    name: { type: "string", default: "Guest" },
    create: { type: "string" },
    join: { type: "string" },
    bot: { type: "string" },
    random: { type: "boolean" },
  },
});
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

// ---------------------------------------------------------------- RFC 6455, as much of it as a client needs

function connect(address) {
  const url = new URL(address.replace(/^ws/, "http"));
  const headers = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": 13,
    "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
    "Sec-WebSocket-Protocol": "parlour.v1",
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).get(url, { headers });
    request.on("upgrade", (_, socket, head) => {
      socket.setNoDelay();
      resolve({ socket, head });
    });
    request.on("response", response => reject(new Error(`no WebSocket there: HTTP ${response.statusCode}`)));
    request.on("error", reject);
  });
}

function sendFrame(socket, opcode, payload) {
  const size = payload.length;
  const mask = randomBytes(4); // 16 bits for the size: a message to a server is shorter
  const head = size < 126 ? [0x80 | opcode, 0x80 | size] : [0x80 | opcode, 0x80 | 126, size >> 8, size & 255];
  socket.write(Buffer.concat([Buffer.from(head), mask, payload.map((byte, at) => byte ^ mask[at % 4])]));
}

function readFrames(socket, head, receive) {
  let buffer = Buffer.alloc(0);
  const parts = [];
  const read = data => {
    buffer = Buffer.concat([buffer, data]);
    while (buffer.length >= 2) {
      const short = buffer[1] & 127;
      const start = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (buffer.length < start) return;
      const size =
        short < 126 ? short : short === 126 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
      if (buffer.length < start + size) return;
      const [last, opcode] = [buffer[0] & 128, buffer[0] & 15];
      const payload = buffer.subarray(start, start + size);
      buffer = buffer.subarray(start + size);
      if (opcode === PING) sendFrame(socket, PONG, payload);
      else if (opcode === CLOSE) socket.end();
      else if (opcode <= TEXT) {
        parts.push(payload);
        if (last) receive(JSON.parse(Buffer.concat(parts.splice(0)).toString()));
      }
    }
  };
  socket.on("data", read);
  read(head);
}

// ---------------------------------------------------------------- the room

function fold(view, { set = {}, splice = {}, version = view.version }) {
  const find = way => way.reduce((part, name) => part[name], view);
  for (const [path, value] of Object.entries(set)) {
    const way = path.split(".");
    const field = way.pop();
    const owner = find(way);
    owner[field] = value;
    if (value === null && !Array.isArray(owner)) delete owner[field];
  }
  for (const [path, cuts] of Object.entries(splice))
    for (const cut of cuts) find(path.split(".")).splice(...cut);
  view.version = version;
}

const printLine = line => console.log(line.replace(/\p{C}/gu, "?")); // no name commands this terminal
const { socket, head } = await connect(options.server).catch(error => {
  printLine(error.message);
  process.exit(1);
});
const waiting = new Map();
let view = null;
let room = null;
let tried = "";

function ask(type, fields = {}) {
  const id = randomUUID(); // never used again: the server takes a command with the same id for the same command
  sendFrame(socket, TEXT, Buffer.from(JSON.stringify({ type, id, ...fields })));
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}
const attempt = (type, fields) =>
  ask(type, { room, ...fields }).then(
    answer => answer.report && printLine(`  The best move: ${answer.report.best}`),
    refused => printLine(`  ${refused.message}`),
  );

const open = () => [
  ...(view.you === undefined ? view.may.spectator : view.may.seats[view.you]),
  ...(view.owner ? view.may.owner : []),
];

function receive(message) {
  const { type, id } = message;
  const answered = waiting.get(id);
  if (answered && waiting.delete(id))
    type === "refused" ? answered.reject(message) : answered.resolve(message);
  else if (type === "snapshot" && (view === null || message.version >= view.version))
    show((view = message.view));
  else if (view === null || message.room !== view.room) return;
  else if (type === "presence") fold(view, message);
  else if (type === "event" && message.version > view.version + 1) attempt("subscribe");
  else if (type === "event" && message.version === view.version + 1) {
    fold(view, message);
    show();
  }
}

function show() {
  const { position, seats, turn, offers, result, may } = view;
  const offered = at => Object.keys(offers).flatMap(one => (offers[one] === at ? `, offers: ${one}` : []));
  printLine("");
  printLine(`${view.title}, room ${view.room}, version ${view.version}: ${view.phase}`);
  position?.cells.forEach((row, at) =>
    printLine([position.rows[at], ...row].map(text => text.padStart(3)).join("")),
  );
  if (position) printLine(["", ...position.columns].map(text => text.padStart(3)).join(""));
  seats.forEach((seat, at) =>
    printLine(
      `  ${at === view.you ? "*" : " "} ${seat.name || "(free)"}${turn?.seat === at ? ", to move" : ""}${offered(
        at,
      )}: ${may.seats[at].join(", ")}`,
    ),
  );
  printLine(
    `    Spectators: ${may.spectator.join(", ")}${may.owner.length ? `; the owner: ${may.owner.join(", ")}` : ""}`,
  );
  if (result)
    printLine(
      `  ${result.winner === undefined ? "Nobody" : seats[result.winner].name} won: ${result.reason}`,
    );
  if (!options.random) return;
  if (view.phase === "finished" || view.phase === "closed") return leave();
  const turnNow = `${view.game_number} ${view.moves.length}`;
  if (open().includes("play") && tried !== (tried = turnNow))
    play(position.legal[Math.floor(Math.random() * position.legal.length)]);
}

const play = move => attempt("play", { version: view.version, move });

function typed(line) {
  const [word, ...rest] = line.trim().split(/\s+/);
  const text = rest.join(" ");
  const fields = {
    say: { text },
    claim: { what: text || "win" },
    add_bot: { bot: text || "easy" },
    decline: { offer: text || "draw" },
  };
  if (word === "quit") leave();
  else if (view?.position?.legal.includes(line.trim()) && open().includes("play")) play(line.trim());
  else if (view && word !== "play" && open().includes(word)) attempt(word, fields[word]);
  else if (view)
    printLine(`  A move (${view.position?.legal.join(" ") ?? ""}), quit, or one of: ${open().join(", ")}`);
}

function leave() {
  socket.removeAllListeners("close");
  sendFrame(socket, CLOSE, Buffer.from([3, 232])); // 1000
  socket.end(() => process.exit(0));
}

readFrames(socket, head, receive);
socket
  .on("error", () => {})
  .on("close", () => {
    printLine("The connection is lost. Your seat is kept.");
    process.exit(1);
  });
try {
  await ask("hello", { protocols: [1], name: options.name, client: "client.mjs" });
  room = options.join ?? (await ask("create", { game: options.create ?? "tictactoe" })).room;
  await ask("sit", { room }).catch(refused => {
    if (refused.code !== "room_full") throw refused;
    return ask("subscribe", { room });
  });
  if (options.bot) await ask("add_bot", { room, bot: options.bot });
} catch (refused) {
  printLine(refused.message);
  process.exit(1);
}
if (!options.random) createInterface({ input: process.stdin }).on("line", typed).on("close", leave);
