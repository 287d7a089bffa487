/** A game's score from position to position, as the side that moved first sees it. The graded moves say the
 *  same in words. */
import { put, s, set } from "../core/dom.js";
import { fraction, look } from "../game/scores.js";
import { say } from "../words.js";

/** @import {Score} from "../protocol.d.ts" */
/** @typedef {{score: Score | null, sign: string, name: string}} Point what a position is worth, and how the
 *  move that led there was marked */

const WIDTH = 360;
const HEIGHT = 170;
const RIGHT = 16;
const TOP = 24;
const BOTTOM = 46;
const MOST_DOTS = 70;
const APART = 26;
const LEVELS = [say("page.review.win"), say("page.review.draw"), say("page.review.loss")];
/** As wide as the longest of them. */
const LEFT = Math.max(48, 16 + 7.5 * Math.max(...LEVELS.map(one => one.length)));

/** @param {(ply: number) => void} onstep */
export function curve(onstep) {
  const element = s("svg", {
    class: "curve",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    onpointerdown: point,
    onpointermove: point,
  });
  let last = 0;

  /** @param {PointerEvent} event */
  function point(event) {
    if (event.type === "pointermove" && !event.buttons) return;
    const box = element.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    onstep(Math.min(last, Math.max(0, Math.round(((x - LEFT) / (WIDTH - LEFT - RIGHT)) * last))));
  }

  /** @param {Point[]} points as far as they are known @param {number} count of the game's moves
   *  @param {number} ply the one that is shown @param {[string, string]} names */
  function update(points, count, ply, names) {
    last = count;
    const step = (WIDTH - LEFT - RIGHT) / Math.max(1, count);
    const x = (/** @type {number} */ at) => LEFT + at * step;
    const height = (/** @type {number} */ share) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
    const place = (/** @type {number} */ at, /** @type {Score} */ score) =>
      `${x(at)} ${height(fraction(score))}`;
    /** A line for each way of knowing. @type {Record<string, string>} */
    const lines = {};
    points.forEach(({ score }, at) => {
      const before = points[at - 1]?.score;
      if (score && before)
        lines[look(score)] = `${lines[look(score)] ?? ""}M${place(at - 1, before)}L${place(at, score)}`;
    });
    const numbered = Math.max(1, Math.ceil(APART / step));
    const here = points[ply]?.score;
    set(element, { role: "img", "aria-label": say("page.review.curve", { name: names[0] }) });
    put(element, [
      [1, 0.5, 0].flatMap((share, at) => [
        s("path", { class: "level", d: `M${LEFT} ${height(share)}H${WIDTH - RIGHT}` }),
        s("text", { x: LEFT - 8, y: height(share), dy: "0.35em", class: "axis" }, LEVELS[at]),
      ]),
      s("path", { class: "here", d: `M${x(ply)} ${TOP - 8}V${HEIGHT - BOTTOM + 4}` }),
      Array.from({ length: Math.floor(count / numbered) + 1 }, (_, at) =>
        s("text", { x: x(at * numbered), y: HEIGHT - 8, class: "ply" }, at * numbered),
      ),
      Object.entries(lines).map(([kind, d]) => s("path", { class: `score ${kind}`, d })),
      points.flatMap(({ score, sign, name }, at) =>
        !score || (!sign && count > MOST_DOTS)
          ? []
          : [
              s("circle", {
                class: `dot ${look(score)} ${name}`,
                cx: x(at),
                cy: height(fraction(score)),
                r: sign ? 5 : 3,
              }),
              sign
                ? s(
                    "text",
                    {
                      class: name,
                      x: x(at),
                      y: height(fraction(score)) + (fraction(score) < 0.5 ? 19 : -10),
                    },
                    [sign],
                  )
                : null,
            ],
      ),
      here && s("circle", { class: "shown", cx: x(ply), cy: height(fraction(here)), r: 7 }),
    ]);
  }
  return { element, update };
}
