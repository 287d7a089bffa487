/** At the table of a tournament's game: the way back, and from a game that is over to one's next. */
import { h, put } from "../core/dom.js";
import { go } from "../core/router.js";
import { say } from "../words.js";

/** @import {Client, Room} from "../core/client.js" */
/** @import {TournamentView} from "../protocol.d.ts" */

/** Follow the tournament until the page is closed, which calls what is given back.
 *  @param {Client} client @param {Room} room @param {HTMLElement} place */
export function nextGame(client, room, place) {
  const code = room.view?.tournament ?? "";
  put(place, h("a", { class: "button", href: `/${code}` }, say("page.tournament.back")));
  /** @param {TournamentView} found */
  function take(found) {
    if (found.room && found.room !== room.code && room.view?.phase !== "playing") go(`/${found.room}`);
  }
  client.ask("tournament", { tournament: code, subscribe: true }).then(
    answer => take(answer.view),
    () => {},
  );
  const end = client.on("tournament_changed", notice => {
    if (notice.view.tournament === code) take(notice.view);
  });
  return () => {
    end();
    if (client.connection.kind === "connected")
      client.ask("tournament", { tournament: code }).catch(() => {});
  };
}
