/** Exercises on searches: drawn and marked by the server; which were solved stays in this browser. */
import { Board } from "../board/board.js";
import { TreeView } from "../board/tree.js";
import { announce, button, h, put, set, styled } from "../core/dom.js";
import { read, write } from "../core/storage.js";
import { LESSONS } from "../game/lessons.js";
import { Search } from "../game/search.js";
import { number, say, translated } from "../words.js";

/** @import {Client} from "../core/client.js" */
/** @import {Ask, Node} from "../game/search.js" */
/** @import {Exercise, Lesson, Said} from "../protocol.d.ts" */

/** Its looks: how large a tree is drawn depends on them. */
const looks = styled("exercises", "./exercises.css", import.meta.url);
const KEPT = "exercises";

/** What the server said, in the language of this page. @param {Said | undefined} said @param {string} text */
const told = (said, text) => translated(said, text, ["lesson."]);

/** The numbers of a lesson's exercises that were solved here. @returns {Partial<Record<Lesson, number[]>>} */
function solved() {
  try {
    return JSON.parse(read(KEPT) ?? "{}");
  } catch {
    return {};
  }
}

/**
 * @param {Client} client
 * @param {Ask} ask for a tree
 * @param {(what: () => Promise<unknown>) => Promise<unknown>} attempt
 * @param {{opened: (lesson: Lesson, number: number) => void, left: (game?: string, moves?: string[]) => void}}
 *  then one is shown; it is left, perhaps for the lecture on its tree
 */
export function exercises(client, ask, attempt, then) {
  /** @type {Exercise | null} */
  let shown = null;
  /** @type {Search | null} */
  let search = null;
  /** How often one was opened, and which of them is answered. */
  let turn = 0;
  let marked = -1;
  const path = h("nav", { class: "row path", "aria-label": say("exercise.path") });
  const chosen = /** @type {Set<string>} */ (new Set());
  const heading = h("h2");
  const about = h("p", { class: "past" });
  const question = h("p", { class: "said" });
  const stage = h("div", { class: "scroll" });
  const form = h("form", { class: "row", onsubmit: answer });
  const verdict = h("p", { role: "status" });
  const after = h("div", { class: "row" });
  const element = h("section", { class: "panel stack exercise" }, [
    path,
    heading,
    about,
    stage,
    question,
    form,
    verdict,
    after,
  ]);
  const typed = h("input", { type: "number", "aria-label": say("page.learn.number"), required: true });
  const view = new TreeView({
    label: say("page.learn.tree"),
    onchoose: node => {
      if (node.move && shown?.choices?.includes(node.move)) toggle(node.move);
    },
  });
  const board = new Board({ label: say("page.learn.position") });

  /** All lessons, each with how many of its exercises were solved. @param {Lesson} here */
  function way(here) {
    const done = solved();
    put(path, [
      LESSONS.map((one, at) => {
        const count = done[one]?.length ?? 0;
        return button(
          `${at + 1} ${say(`lesson.${one}.title`)}${count ? ` ✓${number(count)}` : ""}`,
          () => open(one),
          {
            "aria-pressed": String(one === here),
            ...(count > 0 && { title: say("exercise.solved", { count }) }),
          },
        );
      }),
      button(say("exercise.back"), () => then.left(), { class: "plain" }),
    ]);
    path.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  /** Open an exercise: of the first lesson of which none was solved, and after those that were.
   *  @param {string} [asked] @param {number} [which] */
  async function open(asked, which) {
    const mine = ++turn;
    const done = solved();
    const lesson =
      LESSONS.find(one => one === asked) ?? LESSONS.find(one => !done[one]?.length) ?? LESSONS[0];
    const found = /** @type {Exercise | null} */ (
      await attempt(() =>
        client.ask("exercise", { lesson, number: which ?? Math.max(0, ...(done[lesson] ?? [])) + 1 }),
      )
    );
    if (!found || mine !== turn) return;
    shown = found;
    chosen.clear();
    then.opened(lesson, found.number);
    way(lesson);
    put(heading, `${say(`lesson.${lesson}.title`)} · ${number(found.number)}`);
    put(about, say(`lesson.${lesson}.about`));
    put(question, told(found.question_said, found.question));
    put(verdict);
    put(after);
    offer(found);
    await draw(found);
  }

  /** What it is about: a table of playouts, a board, or a tree of numbers. @param {Exercise} one */
  async function draw(one) {
    search = null;
    await looks;
    if (shown !== one) return;
    if (one.tried?.length)
      return void put(stage, [
        h("table", { class: "numbers" }, [
          h(
            "tr",
            null,
            ["", "n", "w", "w / n"].map(name => h("th", { scope: "col" }, name)),
          ),
          one.tried.map(({ move, playouts, points }) =>
            h("tr", null, [
              h("th", { scope: "row" }, move),
              [number(playouts), number(points), number(points / playouts, 2)].map(cell =>
                h("td", null, cell),
              ),
            ]),
          ),
        ]),
      ]);
    if (one.position.rows.length) {
      put(stage, board.element);
      board.show(one.position, {});
      return;
    }
    put(stage, view.svg);
    const tree = new Search(ask, { prune: false, order: false });
    await attempt(() => tree.load({ game: one.game }));
    if (shown !== one || !tree.root) return;
    search = tree;
    tree.at = tree.steps.length - 1;
    // On a phone not all of a tree is in sight.
    for (const one of form.querySelectorAll("[data-choice]")) {
      const of = /** @type {HTMLElement} */ (one).dataset.choice;
      const leaf = tree.steps.find(({ node }) => node.move === of && node.end)?.node;
      if (leaf) put(one, `${of} (${number(leaf.score.points)})`);
    }
    view.fit(tree, stage.clientWidth);
    view.update(tree, secret);
  }

  /** Only the leaves are told. @param {Node} node */
  const secret = node => !node.end && shown?.right === undefined;

  /** @param {Exercise} one */
  function offer(one) {
    const check = h("button", { class: "main" }, say("exercise.check"));
    if (one.asks === "number") {
      typed.value = "";
      put(form, [typed, check]);
      typed.focus({ preventScroll: true });
      return;
    }
    put(form, [
      (one.choices ?? []).map(choice =>
        button(choice, () => toggle(choice), {
          "data-choice": choice,
          "aria-pressed": "false",
          class: "code",
        }),
      ),
      one.asks === "several" && check,
    ]);
  }

  /** @param {string} choice */
  function toggle(choice) {
    if (!shown || shown.right !== undefined) return;
    if (shown.asks === "one") {
      chosen.clear();
      chosen.add(choice);
      return void mark([choice]);
    }
    if (!chosen.delete(choice)) chosen.add(choice);
    for (const one of form.querySelectorAll("[data-choice]")) {
      const on = chosen.has(/** @type {HTMLElement} */ (one).dataset.choice ?? "");
      set(/** @type {HTMLElement} */ (one), { "aria-pressed": String(on) });
    }
    for (const [node, drawn] of view.drawn)
      drawn.group.classList.toggle("chosen", chosen.has(node.move ?? ""));
  }

  /** @param {Event} event */
  function answer(event) {
    event.preventDefault();
    if (shown?.right === undefined) mark(shown?.asks === "number" ? [typed.value] : [...chosen]);
  }

  /** @param {string[]} given */
  async function mark(given) {
    // One answer for each.
    if (!shown || marked === turn) return;
    marked = turn;
    const { lesson, number: which } = shown;
    const found = /** @type {Exercise | null} */ (
      await attempt(() => client.ask("exercise", { lesson, number: which, answer: given }))
    );
    if (marked !== turn) return;
    if (!found) {
      marked = -1;
      return;
    }
    shown = found;
    if (found.right) {
      const done = solved();
      done[lesson] = [...new Set([...(done[lesson] ?? []), which])];
      write(KEPT, JSON.stringify(done));
    }
    const said = `${say(found.right ? "exercise.right" : "exercise.wrong")} ${told(found.why_said, found.why ?? "")}`;
    put(verdict, said);
    announce(said);
    put(form);
    if (search) view.update(search, secret);
    for (const [node, drawn] of view.drawn)
      if (search && (found.solution ?? []).includes(node.move ?? "")) drawn.group.classList.add("chosen");
    put(after, [
      button(say("exercise.next"), () => open(lesson, which + 1), { class: "main" }),
      !found.tried?.length && button(say("exercise.through"), () => then.left(found.game, found.moves)),
    ]);
    way(lesson);
  }

  return {
    element,
    open,
    close() {
      turn++;
    },
  };
}
