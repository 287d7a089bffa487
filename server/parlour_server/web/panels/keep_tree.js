/** A lecture's tree to keep: its drawing as a file, with the colours that it has on the screen. */
import { save } from "./export.js";

/** What looks give, and a file that stands alone has to say itself. */
const LOOKS = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "paint-order",
  "text-anchor",
  "text-decoration",
  "font-family",
  "font-size",
  "font-style",
  "font-weight",
];

/** @param {SVGSVGElement} svg @param {string} name */
export function saveDrawing(svg, name) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const drawn = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((one, at) => {
    const looks = getComputedStyle(drawn[at]);
    const { style } = /** @type {SVGElement} */ (one);
    for (const name of LOOKS) style.setProperty(name, looks.getPropertyValue(name));
    if (one === copy)
      style.setProperty("background", getComputedStyle(svg.closest(".pane") ?? svg).backgroundColor);
  });
  save(`${name}.svg`, new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
}
