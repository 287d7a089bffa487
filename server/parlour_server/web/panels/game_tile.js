/** A running game among others: its board, who plays, and how it stands. */
import { Board } from "../board/board.js";
import { announce, h, put, set } from "../core/dom.js";
import { happened } from "../game/event_text.js";
import * as text from "../game/room_text.js";
import { say, translated } from "../words.js";
import { evaluationBar, inRoom } from "./evaluation.js";
import { linkTo } from "./invitation.js";
import { playerLine, seatAbove } from "./players.js";
import { qrCode } from "./qr.js";

/** @import {Client} from "../core/client.js" */
/** @import {RoomLine} from "../protocol.d.ts" */
/** @typedef {{kind: string, element: HTMLElement, update(line: RoomLine): void, tick(): void, close(): void}}
 *  Tile */

/** A game, also one's own, as its spectators see it.
 *  @param {Client} client @param {string} code @param {{link?: boolean}} [how] with the link as a QR code?
 *  @returns {Tile} */
export function gameTile(client, code, { link: shows = true } = {}) {
  const room = client.open(code, { present: false });
  const shown = () => room.view && { ...room.view, you: undefined };
  const board = new Board({ labels: false });
  const evaluation = evaluationBar(board);
  const players = [playerLine(0), playerLine(1)];
  const title = h("h2");
  const status = h("p", { class: "status" });
  const way = shows && qrCode(client, linkTo(client, `/${code}`));
  const words = h("div", { class: "words" });
  const element = h("li", { key: `game ${code}`, class: "tile panel game" }, [
    h("div", null, [words, h("div", { class: "stage" }, board.element)]),
  ]);
  room.onchange = (before, message) => {
    const view = shown();
    if (view && message?.type === "event" && message.event.kind === "game_finished")
      announce(`${code}: ${happened(view, view, message.event)}`);
    draw(before !== null && message?.type === "event" && message.event.kind === "move_played");
  };
  function tick() {
    const view = shown();
    if (view) players.forEach(player => player.update(view));
    const said = room.refused?.message ?? (view ? text.status(view) : say("connection.connecting"));
    set(status, { textContent: said });
  }
  /** @param {boolean} animate */
  function draw(animate) {
    const view = shown();
    if (view)
      put(title, [
        translated(view.title_said, view.title),
        " ",
        h("a", { class: "code", href: `/${code}` }, code),
      ]);
    if (view?.position) board.show(view.position, { animate });
    const up = view ? seatAbove(view, view.position) : 1;
    put(words, [title, players[up].element, players[1 - up].element, status, way]);
    if (view && room.state) evaluation.update(inRoom(room.state), up === view.starter ? 1 : 0);
    tick();
  }
  draw(false);
  return {
    kind: "game",
    element,
    tick,
    update() {},
    close() {
      room.close();
    },
  };
}
