/** The two at a table: their marks, names, clocks, and whether they are here. */

import { piece } from "../board/pieces.js";
import { h, render, s, set } from "../core/dom.js";
import { acting } from "../core/room.js";
import { play } from "../core/sound.js";
import * as text from "../game/room_text.js";
import { clock } from "../text.js";
import { say } from "../words.js";

/** @import {ShownView} from "../core/room.js" */
/** @import {BoardView, RoomView} from "../protocol.d.ts" */

const LOW_MS = 10_000;

/** The seat whose line stands above the board, where its pieces do; else the viewer's stands below.
 *  @param {RoomView} view @param {BoardView | null} [position] */
export const seatAbove = ({ you = 0, starter }, position) =>
  position?.above === undefined ? 1 - you : position.above ^ starter;

/** A seat's line. `update` is called with the room at this moment, also when time alone has passed.
 *  @param {0 | 1} seat */
export function playerLine(seat) {
  const element = h("div", { role: "group" });
  let warned = false;

  /** @param {ShownView} view @param {string} [rating] */
  function update(view, rating) {
    const who = view.seats[seat];
    const side = seat === view.starter ? 0 : 1;
    const sign = text.markOf(view, seat);
    const turn = view.turn?.seat === seat && view.phase === "playing";
    const away = view.away_since[seat];
    const name = who.kind === "open" ? say("page.table.free_seat") : text.nameOf(view, seat);
    const left = view.clock?.left[seat];
    // Until a game begins it is what there will be.
    const time =
      left !== undefined ? clock(left) : view.phase === "waiting" ? view.settings.clock : undefined;
    const low = left !== undefined && left < LOW_MS && view.clock?.running === seat;
    const notes = [
      seat === view.you && say("seat.you"),
      rating,
      who.stand_in ? text.botName(who.stand_in) : away && text.awayFor(view.at - away),
      (view.wins[seat] || view.wins[1 - seat] || view.draws) && String(view.wins[seat]),
    ];
    set(element, {
      class: `player ${side ? "second" : "first"}${turn ? " turn" : ""}`,
      "aria-label": [name, sign, turn && say("page.table.to_move")].filter(Boolean).join(", "),
    });
    render(
      element,
      s("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" }, sign && piece(sign, side)),
      h("bdi", { class: "name" }, name),
      h("span", { class: "past" }, notes.filter(Boolean).join(" · ")),
      time &&
        h(
          "span",
          { class: low ? "clock numbers short" : "clock numbers", role: "timer", "aria-live": "off" },
          [time],
        ),
    );
    if (low && !warned && seat === acting(view)) play("low");
    warned = low;
  }
  return { element, update };
}
