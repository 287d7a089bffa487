/** How a tournament stands, as its own page and the wall show it. */
import { h } from "../core/dom.js";
import { span } from "../text.js";
import { say } from "../words.js";

/** @import {Child} from "../core/dom.js" */
/** @import {BoardLine, EntrantLine, TournamentView} from "../protocol.d.ts" */

/** The rows of a table: who takes part, the best first, with the cross table.
 *  @param {TournamentView} view @param {(line: EntrantLine) => Child | Child[]} [beside] what stands behind a name */
export function standings(view, beside = () => null) {
  const crossed = view.heads.length > 0;
  return [
    h("thead", null, [
      h("tr", null, [
        h("th", { scope: "col" }, say("table_head.rank")),
        h("th", { scope: "col", class: "left" }, say("table_head.player")),
        h("th", { scope: "col" }, say("table_head.points")),
        crossed && view.heads.map(head => h("th", { scope: "col", class: "cross" }, head)),
        h("th", { scope: "col", class: "more" }, say("table_head.buchholz")),
        h("th", { scope: "col", class: "more" }, say("table_head.sonneborn_berger")),
      ]),
    ]),
    h("tbody", null, [view.entrants.map(line => entrant(view, line, crossed, beside))]),
  ];
}

/** @param {TournamentView} view @param {EntrantLine} line @param {boolean} crossed
 *  @param {(line: EntrantLine) => Child | Child[]} beside */
function entrant(view, line, crossed, beside) {
  const away = line.withdrawn || !line.here;
  return h("tr", { key: String(line.number), class: [line.number === view.you && "mine"] }, [
    h("td", null, line.rank),
    h("th", { scope: "row", class: ["left", away && "past"] }, [
      h("span", { class: "past" }, `${line.number} `),
      called(line),
      beside(line),
    ]),
    h("td", null, h("strong", null, line.points)),
    crossed && line.results.map(result => h("td", { class: "cross" }, result)),
    h("td", { class: "more" }, line.buchholz),
    h("td", { class: "more" }, line.sonneborn_berger),
  ]);
}

/** @param {EntrantLine} line */
function called(line) {
  const name = line.bot || line.program ? say("seat.bot", { name: line.name }) : line.name;
  if (line.withdrawn) return say("tournament.withdrawn", { name });
  const shown = line.streak ? say("tournament.streak", { name }) : name;
  return line.here ? shown : say("tournament.absent", { name: shown });
}

/** How a board stands. @param {BoardLine} line */
export function result(line) {
  if (line.forfeit) return say("tournament.board.forfeit", { score: line.score });
  if (line.state === "done") return line.score;
  const waits = say(`tournament.board.${line.state}`);
  return line.score ? `${line.score}, ${waits}` : waits;
}

/** Who has no game this round. @param {TournamentView} view */
export function byes({ byes: numbers, entrants }) {
  const names = new Map(entrants.map(line => [line.number, line.name]));
  return (
    numbers.length > 0 && say("tournament.bye", { names: numbers.map(number => names.get(number) ?? "") })
  );
}

/** How far it is, and what comes next. @param {TournamentView} view @param {number} now */
export function said(view, now = view.at) {
  if (view.phase === "over") {
    const first = view.entrants.filter(line => line.rank === 1).map(line => line.name);
    const words = [
      view.round > 0 && first.length > 0 && say("tournament.winner", { name: first }),
      view.early && say("tournament.ended_early"),
    ];
    return words.filter(Boolean).join(" ") || say("tournament.phase.over");
  }
  const words =
    view.round > 0 && view.rounds !== undefined
      ? [say("tournament.round_of", { round: view.round, rounds: view.rounds })]
      : [say(`tournament.phase.${view.phase}`)];
  const time = (/** @type {number} */ at) => span(Math.ceil((at - now) / 1000));
  if (view.phase === "playing" && view.next_at !== undefined && view.next_at > now)
    // After the last round the host may still have one of its games played again.
    words.push(
      say(view.round === view.rounds ? "tournament.over_in" : "tournament.next_in", {
        time: time(view.next_at),
      }),
    );
  if (view.phase === "playing" && view.ends_at !== undefined && view.ends_at > now)
    words.push(say("tournament.ends_in", { time: time(view.ends_at) }));
  return words.join(", ");
}
