/** At the table of a tournament's game: the way back, and from a game that is over to one's next. */
import { h, put } from "../core/dom.js";
import { retry } from "../core/retry.js";
import { go } from "../core/router.js";
import { say } from "../words.js";

/** @import {Client, Room} from "../core/client.js" */
/** @import {TournamentView} from "../protocol.d.ts" */
/** @typedef {{lead(): void, close(): void}} NextGame */

/** Follow the tournament until it is closed: once a table, on each connection anew. `lead` goes where it leads.
 *  @param {Client} client @param {Room} room @param {HTMLElement} place @returns {NextGame} */
export function nextGame(client, room, place) {
  const code = room.view?.tournament ?? "";
  const closing = new AbortController();
  /** @type {TournamentView | null} */
  let view = null;
  put(place, h("a", { class: "button", href: `/${code}` }, say("page.tournament.back")));
  function lead() {
    if (view?.room && view.room !== room.code && room.view?.phase !== "playing") go(`/${view.room}`);
  }
  /** @param {TournamentView} found */
  function take(found) {
    view = found;
    lead();
  }
  const follow = () => {
    const { signal } = closing;
    retry(() => client.ask("tournament", { tournament: code, subscribe: true }, { signal }), signal).then(
      answer => take(answer.view),
      () => {},
    );
  };
  const ends = [
    client.on("tournament_changed", notice => {
      if (notice.view.tournament === code) take(notice.view);
    }),
    client.on("connection", ({ kind }) => {
      if (kind === "connected") follow();
    }),
  ];
  follow();
  return {
    lead,
    close() {
      for (const end of ends) end();
      closing.abort();
      if (client.connection.kind === "connected")
        client.ask("tournament", { tournament: code }).catch(() => {});
    },
  };
}
