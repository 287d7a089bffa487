/** What one does with a table besides playing: share it, carry the seat to another device, keep its game. */
import { attempt } from "../core/attempt.js";
import { button, dialog, h } from "../core/dom.js";
import { acting } from "../core/room.js";
import { go } from "../core/router.js";
import { link } from "../game/games.js";
import * as text from "../text.js";
import { say } from "../words.js";
import { copyField, linkTo, tableLink, unreachable } from "./invitation.js";
import { qrCode } from "./qr.js";

/** @import {Room} from "../core/client.js" */
/** @import {Child} from "../core/dom.js" */
/** @import {ShownView} from "../core/room.js" */

/** Show it. @param {Room} room @param {() => string[]} moves those of the position that is shown */
export function openTableMenu(room, moves) {
  const { client, code } = room;
  const show = (/** @type {string} */ title, /** @type {Child[]} */ content) =>
    dialog(title, () => [h("div", { class: "stack" }, content)]);

  function share() {
    const link = linkTo(client, `/${code}`);
    show(say("action.share.label"), [
      h("p", null, [
        room.view?.seats.some(seat => seat.kind === "open")
          ? say("page.table.invite")
          : say("page.table.watch_link"),
      ]),
      room.view && tableLink(client, link, room.view),
    ]);
  }

  async function carry() {
    const { code: once, seconds } = await client.ask("carry", { token: client.token ?? "" });
    const link = linkTo(client, `/${code}#carry=${once}`);
    show(say("action.carry.label"), [
      h("p", null, say("page.table.carry", { span: text.span(seconds) })),
      qrCode(client, link),
      unreachable(link),
      h("details", null, [
        h("summary", null, say("page.table.in_terminal")),
        copyField(`parlour join ${link}`),
      ]),
    ]);
  }

  /** The entries that make sense now. @param {ShownView} view */
  function entries(view) {
    /** @type {[string, () => unknown][]} */
    const found = [
      [say("action.share.label"), share],
      [say("action.carry.label"), carry],
    ];
    const { game } = view;
    // Asked here, so that whoever plays stays at the table until another game is begun.
    if (view.position)
      found.push([
        say("action.play_on.label"),
        async () => (await import("./new_game.js")).newGame(client, { game, moves: moves() }),
      ]);
    if (view.position && (view.phase !== "playing" || acting(view) === undefined))
      found.push([say("action.analyse.label"), () => go(`/analysis#${link(game, moves())}`)]);
    if (view.game_number)
      found.push(
        [say("action.games.label"), async () => (await import("./room_games.js")).showGames(client, code)],
        [
          say("action.export.label"),
          async () =>
            (await import("./export.js")).exportGame(client, {
              game,
              moves: view.moves,
              shown: moves(),
              room: code,
              number: view.game_number,
            }),
        ],
      );
    return found;
  }

  dialog(say("page.more"), close => [
    h("div", { class: "stack" }, [
      room.view &&
        entries(room.view).map(([label, run]) =>
          button(label, () => {
            close();
            attempt(async () => run());
          }),
        ),
    ]),
  ]);
}
