/** How marks look. Sides differ in shape, so that colour is never needed. */
import { s } from "../core/dom.js";

/**
 * A piece, drawn around the middle of a square of 100 by 100.
 * @param {string} text what stands in the cell @param {0 | 1 | null} side
 */
export function piece(text, side) {
  const group = s("g", { class: `piece ${side === 0 ? "first" : side === 1 ? "second" : "nobody"}` });
  if (side === null) group.append(letters(text, 46));
  else if (text === "X") group.append(s("path", { class: "stroke", d: "M-27-27 27 27M27-27-27 27" }));
  else if (text === "O") group.append(s("circle", { class: "stroke", r: 28 }));
  else if (text === "●") group.append(s("circle", { class: "disc", r: 38 }));
  else if (text === "○")
    group.append(s("circle", { class: "disc", r: 38 }), s("circle", { class: "hole", r: 20 }));
  else if (text === "◆" || text === "◇")
    // A king is its side's man with a crown; the ring is wide enough for it.
    group.append(
      s("circle", { class: "disc", r: 38 }),
      text === "◇" ? s("circle", { class: "hole", r: 30 }) : "",
      s("path", { class: "crown", d: "M-19 13v-24l9 10L0-17l10 16 9-10v24z" }),
    );
  else if (/^[A-Za-z0-9]/.test(text))
    group.append(
      // A letter stands on its side's token: the second side's has corners.
      side
        ? s("rect", { class: "disc", x: -34, y: -34, width: 68, height: 68, rx: 14 })
        : s("circle", { class: "disc", r: 38 }),
      letters(text, 46, "on-disc"),
    );
  else group.append(letters(text, 72));
  return group;
}

/** @param {string} text @param {number} size @param {string} [kind] */
const letters = (text, size, kind = "") =>
  s(
    "text",
    {
      class: `letters ${kind}`,
      style: { "font-size": `${size / Math.max(1, [...text].length * 0.62)}px` },
      dy: "0.35em",
    },
    [text],
  );
