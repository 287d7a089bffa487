/** A position set up by clicks: a piece is chosen from the tray, and put on cells. What can be the server says. */
import { Board } from "../board/board.js";
import { nameOf, sideOf, texts } from "../board/position.js";
import { Refusal } from "../core/client.js";
import { announce, button, dialog, h, styled } from "../core/dom.js";
import { retry } from "../core/retry.js";
import { say } from "../words.js";
import { settingField } from "./forms.js";

/** @import {Client} from "../core/client.js" */
/** @import {Board as Answer} from "../protocol.d.ts" */

styled("setup", "./setup.css", import.meta.url);

/** Where there is no cell; between edges, a box that nobody has. */
const VOID = " ";

/** A board on which pieces are put: nothing is played, and a finger that went wrong just taps again. */
class Putting extends Board {
  /** @param {number} cell */
  choose(cell) {
    super.choose(cell, false);
  }
}

/**
 * Let a position be set up from the one that is shown, or pasted as text.
 * @param {Client} client @param {string} game
 * @param {Pick<Answer, "position" | "tray" | "extras">} what may be put into a cell, and what else is asked
 * @param {(game: string) => void} done takes the game's name with its position
 */
export function setUp(client, game, { position: begun, tray: kinds, extras: asked }, done) {
  const [base] = game.split("@");
  const pits = begun.layout === "pits";
  const edges = begun.layout === "edges";
  const open = (/** @type {string} */ text) => edges && text === VOID;
  const all = texts(begun).map(text => (open(text) ? begun.empty : text));
  const extras = asked.map(line => settingField(line, []));
  const tray = pits ? ["+1", "−1"] : kinds;
  let piece = tray[0];
  let side = begun.to_move ?? 0;
  const width = begun.columns.length;
  const odd = (/** @type {number} */ cell) => [Math.floor(cell / width) % 2, (cell % width) % 2];
  const cells = [...all.keys()].filter(cell => all[cell] !== VOID && !(edges && !Math.max(...odd(cell))));
  /** Between dots lines go on edges, and a side's sign into a box. @param {number} cell */
  function fits(cell) {
    const [row, column] = odd(cell);
    return !edges || piece === begun.empty || (row !== column) === (sideOf(begun, piece) === null);
  }
  const board = new Putting({ onmove: move => change(Number(move)), label: say("setup.board") });
  board.cells.plays = false;
  const written = h("input", { spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  const wrong = h("p", { class: "refusal", role: "alert" });

  function draw() {
    // Every cell is a move that puts the chosen piece there.
    const here = cells.filter(fits);
    const lines = begun.rows.map((_, row) => all.slice(row * width, (row + 1) * width));
    const free = { legal: here.map(String), paths: here, last: [], line: [], note: undefined };
    board.show({ ...begun, ...free, cells: lines, to_move: sideOf(begun, piece) ?? side }, { yours: true });
    const rows = lines.map(row => row.filter(text => text !== VOID).join(pits ? "," : ""));
    const values = extras.map(({ input }) =>
      "checked" in input && input.type === "checkbox" ? +input.checked : input.value,
    );
    written.value = `${rows.join("/")} ${begun.marks[side][0]}${values.length ? ` [${values}]` : ""}`;
    wrong.textContent = "";
  }

  /** @param {number} cell */
  function change(cell) {
    all[cell] = pits ? String(Math.max(0, Number(all[cell]) + (piece === tray[0] ? 1 : -1))) : piece;
    draw();
    announce(`${nameOf(begun, cell)}: ${all[cell]}`);
  }

  /** @param {string} name @param {string} legend @param {string[]} labels @param {number} chosen
   *  @param {(at: number) => void} choose */
  const choice = (name, legend, labels, chosen, choose) =>
    h("fieldset", { class: "row" }, [
      h("legend", null, legend),
      labels.map((label, at) =>
        h("label", { class: "tick" }, [
          h("input", { type: "radio", name, checked: at === chosen, onchange: () => choose(at) }),
          label,
        ]),
      ),
    ]);

  dialog(say("setup.title"), close => {
    const use = async () => {
      try {
        const answer = await retry(() =>
          client.ask("board", { game: `${base}@${written.value}`, moves: "" }),
        );
        close();
        done(answer.game);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        wrong.textContent = error.message;
        wrong.scrollIntoView({ block: "center" });
      }
    };
    const label = (/** @type {string} */ text) => (text === begun.empty ? say("setup.empty") : text);
    return [
      h(
        "form",
        {
          class: "stack",
          // What won't do the server says.
          novalidate: true,
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            use();
          },
        },
        [
          choice("piece", say("setup.piece"), tray.map(label), 0, at => {
            piece = tray[at];
            draw();
          }),
          h("div", { class: "setup" }, board.element),
          h("div", { class: "fields", oninput: draw }, [extras.map(one => one.element)]),
          choice(
            "side",
            say("setup.to_move"),
            begun.marks.map(marks => marks[0]),
            side,
            at => {
              side = at ? 1 : 0;
              draw();
            },
          ),
          h("label", { class: "field" }, say("setup.text"), written),
          wrong,
          h("div", { class: "buttons" }, [
            button(say("setup.clear"), () => {
              for (const cell of cells) all[cell] = pits ? "0" : begun.empty;
              draw();
            }),
            button(say("page.cancel"), close),
            h("button", { class: "main" }, say("page.analysis.show")),
          ]),
        ],
      ),
    ];
  }).classList.add("wide");
  draw();
}
