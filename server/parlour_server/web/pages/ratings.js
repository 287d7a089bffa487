/** Who is rated in a game, people and bots apart; and one player's way there. */
import { catalogue, titleOf } from "../core/catalogue.js";
import { Refusal } from "../core/client.js";
import { h, put, s } from "../core/dom.js";
import { retry } from "../core/retry.js";
import { go } from "../core/router.js";
import { RATED_AGAINST, RATED_GAMES, RATINGS } from "../lists.js";
import { phrase } from "../panels/list.js";
import { say } from "../words.js";

/** @import {Client} from "../core/client.js" */
/** @import {Catalogue} from "../core/catalogue.js" */
/** @import {Child} from "../core/dom.js" */
/** @import {Page, Route} from "../core/router.js" */
/** @import {Column} from "../lists.js" */
/** @import {PlayerRating, RatedGame, RatingLine} from "../protocol.d.ts" */

const WIDTH = 360;
const HEIGHT = 90;
const EDGE = 8;
const RIGHT = new Set(["number", "figure", "rating", "tally"]);

/** @param {string} game @param {string} [key] */
const pathTo = (game, key) => `/ratings#${game}${key ? `/${key}` : ""}`;

/** @param {Client} client @param {HTMLElement} root @param {Route} route @returns {Page} */
export function open(client, root, route) {
  const [asked, key] = route.hash.split("/");
  let closed = false;
  const said = h("p", { class: "past", role: "status" }, say("page.loading"));
  const games = h("div", { class: "row" });
  const body = h("div", { class: "stack" });
  put(root, [h("div", { class: "ratings stack" }, [h("h1", null, say("ratings.title")), games, said, body])]);

  async function load() {
    const known = await catalogue(client);
    const found = await client.ask("ratings", { ...(asked && { game: asked }) });
    // Without a game it is the one that is played most.
    const [most] = found.games;
    const { game, lines = [] } =
      found.game || !most ? found : await client.ask("ratings", { game: most.game });
    const player = game && key ? await client.ask("rating", { game, player: key }) : null;
    if (closed) return;
    put(games, [game && choice(known, found.games, game)]);
    said.hidden = lines.length > 0;
    said.textContent = game ? say("ratings.none_of", { game: titleOf(known, game) }) : say("ratings.none");
    put(body, player ? ofPlayer(player, known) : ofGame(game ?? "", lines));
  }
  retry(load).catch(error => {
    if (!(error instanceof Refusal)) throw error;
    said.textContent = error.message;
  });
  return {
    close() {
      closed = true;
    },
  };
}

/** @param {Catalogue} known @param {RatedGame[]} games @param {string} game */
function choice(known, games, game) {
  const names = [...new Set([...games.map(one => one.game), game])];
  const chosen = h(
    "select",
    { "aria-label": say("table_head.game"), onchange: () => go(pathTo(chosen.value)) },
    names.map(name => h("option", { value: name, selected: name === game }, titleOf(known, name))),
  );
  return chosen;
}

/** @param {string} game @param {RatingLine[]} lines */
const ofGame = (game, lines) => [
  [
    [say("ratings.people"), lines.filter(line => line.kind === "person")],
    [say("ratings.bots"), lines.filter(line => line.kind !== "person")],
  ].map(
    ([heading, shown]) =>
      shown.length > 0 &&
      list(/** @type {string} */ (heading), RATINGS, /** @type {RatingLine[]} */ (shown), game),
  ),
  lines.some(line => line.provisional) && h("p", { class: "past" }, say("ratings.provisional")),
];

/** @param {PlayerRating} found @param {Catalogue} known */
const ofPlayer = ({ game, line, curve, played, against }, known) => [
  h("h2", null, [
    say("ratings.headline", {
      name: line.name,
      game: titleOf(known, game),
      rating: `${line.rating}${line.provisional ? "?" : ""}`,
      deviation: line.deviation,
      games: say("count.game", { count: line.games }),
    }),
  ]),
  drawn(curve),
  list(say("ratings.against", { count: played.length }), RATED_AGAINST, against, game),
  list(say("ratings.played"), RATED_GAMES, played, game),
  h("p", null, h("a", { href: pathTo(game) }, say("ratings.all"))),
];

/** Any list as a table whose names lead to their players.
 *  @param {string} heading @param {Column[]} columns @param {any[]} rows @param {string} game */
const list = (heading, columns, rows, game) =>
  h("section", { class: "panel" }, [
    h("h2", null, heading),
    h("table", null, [
      h("thead", null, [
        h("tr", null, [
          columns.map(({ kind, head }) =>
            h("th", { scope: "col", class: RIGHT.has(kind) ? "right" : "" }, [headOf(head ?? "")]),
          ),
        ]),
      ]),
      h("tbody", null, [
        rows.map(row =>
          h("tr", { class: row.you === true ? "you" : "" }, [
            columns.map(column => {
              /** @type {Child | Child[]} */
              const shown = phrase(column, row, null);
              const name = column.name === "name";
              return h(name ? "th" : "td", { class: classOf(column), ...(name && { scope: "row" }) }, [
                name ? h("a", { href: pathTo(game, row.key) }, row.name) : shown,
              ]);
            }),
          ]),
        ),
      ]),
    ]),
  ]);

/** @param {Column} column */
const classOf = ({ name, kind }) =>
  RIGHT.has(kind) ? "right" : name === "name" || kind === "seat" ? "who" : "";
/** @param {string} id */
const headOf = id => /** @type {(id: string) => string} */ (say)(id);

/** The course of a rating, its lowest and its highest. @param {number[]} curve */
function drawn(curve) {
  const low = Math.min(...curve);
  const high = Math.max(...curve);
  const x = (/** @type {number} */ at) => EDGE + (at * (WIDTH - 2 * EDGE)) / Math.max(1, curve.length - 1);
  const y = (/** @type {number} */ rating) =>
    HEIGHT - EDGE - ((rating - low) * (HEIGHT - 2 * EDGE)) / Math.max(1, high - low);
  const last = curve[curve.length - 1];
  // Written without the marks of a thousand, as in the lists.
  const said = say("ratings.course", { low: `${low}`, high: `${high}`, last: `${last}` });
  return h("figure", { class: "course" }, [
    s(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: "img",
        "aria-label": said,
      },
      [
        s("path", { d: curve.map((rating, at) => `${at ? "L" : "M"}${x(at)} ${y(rating)}`).join("") }),
        s("circle", { cx: x(curve.length - 1), cy: y(last), r: 4 }),
      ],
    ),
    h("figcaption", { class: "past" }, said),
  ]);
}
