/** A link as a QR code, for a phone to scan. */
import { put, s, set } from "../core/dom.js";
import { say } from "../words.js";

/** @import {Client} from "../core/client.js" */

/** Does a name lead to the machine that it is used on alone? @param {string} hostname */
export const isLocal = hostname => ["localhost", "127.0.0.1", "[::1]"].includes(hostname);

const MARGIN = 4;
/** Links and their rows: the same code stands on several pages. @type {Map<string, string[]>} */
const known = new Map();

/** Hidden until the server has drawn it, and where the server can't; none of a link that no phone can follow.
 *  @param {Client} client @param {string} link */
export function qrCode(client, link) {
  if (isLocal(new URL(link).hostname)) return null;
  const element = s("svg", {
    class: "qr",
    role: "img",
    "aria-label": say("page.qr_code", { link }),
    "shape-rendering": "crispEdges",
    hidden: true,
  });
  /** @param {string[]} rows `#` is dark */
  const draw = rows => {
    const size = rows.length + 2 * MARGIN;
    const runs = rows.flatMap((row, y) =>
      [...row.matchAll(/#+/g)].map(
        ({ 0: { length }, index }) => `M${index + MARGIN} ${y + MARGIN}h${length}v1h-${length}z`,
      ),
    );
    put(element, s("path", { d: runs.join("") }));
    set(element, { viewBox: `0 0 ${size} ${size}`, hidden: false });
  };
  const rows = known.get(link);
  if (rows) draw(rows);
  else
    client.ask("qr", { text: link }).then(
      answer => {
        known.set(link, answer.rows);
        draw(answer.rows);
      },
      () => {},
    );
  return element;
}
