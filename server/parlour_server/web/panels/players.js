/** The two at a table: their marks, names, clocks, and whether they are here. */

import { piece } from "../board/pieces.js";
import { h, put, s, set } from "../core/dom.js";
import { play } from "../core/sound.js";
import * as text from "../text.js";
import { say } from "../words.js";

/** @import {ShownView} from "../core/room.js" */

const LOW_MS = 10_000;

/** A seat's line. `update` is called with the room at this moment, also when time alone has passed.
 *  @param {0 | 1} seat */
export function playerLine(seat) {
  const mark = s("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" });
  const name = h("bdi", { class: "name" });
  const note = h("span", { class: "past" });
  const clock = h("span", { class: "clock numbers", role: "timer", "aria-live": "off" });
  const element = h("div", { role: "group" }, mark, name, note, clock);
  let drawn = "";
  let warned = false;

  /** @param {ShownView} view */
  function update(view) {
    const who = view.seats[seat];
    const side = seat === view.starter ? 0 : 1;
    const turn = view.turn?.seat === seat && view.phase === "playing";
    const sign = text.markOf(view, seat);
    if (drawn !== sign + side) put(mark, sign && piece(sign, side));
    drawn = sign + side;
    set(name, { textContent: who.kind === "open" ? say("page.table.free_seat") : text.nameOf(view, seat) });
    set(element, {
      class: `player ${side ? "second" : "first"}${turn ? " turn" : ""}`,
      "aria-label": [name.textContent, sign, turn && say("page.table.to_move")].filter(Boolean).join(", "),
    });
    const away = view.away_since[seat];
    set(note, {
      textContent: [
        seat === view.you ? say("seat.you") : "",
        who.stand_in ? text.botName(who.stand_in) : away ? text.awayFor(view.at - away) : "",
        view.wins[seat] || view.wins[1 - seat] || view.draws ? String(view.wins[seat]) : "",
      ]
        .filter(Boolean)
        .join(" · "),
    });
    const left = view.clock?.left[seat];
    const low = left !== undefined && left < LOW_MS && view.clock?.running === seat;
    clock.hidden = left === undefined;
    if (left !== undefined) set(clock, { textContent: text.clock(left) });
    clock.classList.toggle("short", low);
    if (low && !warned && seat === view.you) play("low");
    warned = low;
  }
  return { element, update };
}
