/** Every sentence of the page by its id, in the language of this document: the module that the server makes
 *  for it. */

/** @import {Argument, Words} from "./sentences.d.ts" */
/** @typedef {{[name: string]: string | Group}} Group */
/** @import {Said} from "./protocol.d.ts" */

/** What the ids of the server's own sentences begin with. */
const FROM_SERVER = [
  "refusal.",
  "invalid.",
  "game.",
  "bot.",
  "grade.",
  "review.",
  "score.",
  "setting.",
  "span.",
  "quick.",
];

// They stand in the document, those of its page, too: in another language only where one was chosen here.
const island = document.getElementById("words");
const brought = island?.lang === document.documentElement.lang;
/** @type {Record<string, string>} */
const sentences = {};
/** They come in their groups, so that no group is named twice.
 *  @param {Group} group @param {string} above */
function read(group, above = "") {
  for (const [name, one] of Object.entries(group))
    if (typeof one === "string") sentences[above + name] = one;
    else read(one, `${above}${name}.`);
}
/** @param {string} page */
const fetched = async page =>
  read((await import(`./words/${document.documentElement.lang}${page && "/"}${page}.js`)).default);
if (brought) JSON.parse(island?.textContent ?? "[]").forEach((/** @type {Group} */ one) => read(one));
else await Promise.all(["", island?.dataset.page].map(page => page !== undefined && fetched(page)));
/** Have what a page alone says, too. @param {string} page */
export const bring = async page => page !== island?.dataset.page && fetched(page);
const plural = new Intl.PluralRules(document.documentElement.lang);

/** Every language's tag, and its name in itself. @type {[string, string][]} */
export const LANGUAGES = JSON.parse(document.documentElement.dataset.languages ?? "[]");

/**
 * The sentence of an id, with these arguments. A number is written as the language writes it.
 * @template {keyof Words} Id @param {Id} id @param {Words[Id] extends undefined ? [] : [Words[Id]]} given
 * @returns {string}
 */
export const say = (id, ...given) => sayOr(/** @type {string} */ (id), given[0] ?? {});

/**
 * The same for an id that is put together; what else to say where there is none.
 * @param {string} id @param {Record<string, Argument>} given @param {string} [otherwise]
 */
export function sayOr(id, given, otherwise) {
  // What the language lacks is there in English, which has fewer forms.
  const { count } = given;
  const forms =
    typeof count !== "number"
      ? [id]
      : [
          ...(count === 0 ? [`${id}_zero`] : []),
          `${id}_${plural.select(Math.abs(count))}`,
          `${id}_other`,
          id,
        ];
  const sentence = forms.map(form => sentences[form]).find(found => found !== undefined) ?? otherwise;
  if (sentence === undefined) throw new Error(`There is no sentence ${id}`);
  const places = /\{\{ *(\w+) *\}\}/g;
  if (otherwise !== undefined && [...sentence.matchAll(places)].some(([, name]) => given[name] === undefined))
    return otherwise;
  return sentence.replace(places, (_, name) => written(given[name]));
}

/**
 * A sentence that the server sent, by what it is made of; as the server says it in English where this
 * language can't.
 * @param {Said | undefined} said @param {string} english @param {string[]} [groups] what its id may begin
 *  with @returns {string}
 */
export function translated(said, english, groups = FROM_SERVER) {
  if (!said || !groups.some(group => said.id.startsWith(group))) return english;
  const given = Object.entries(said.args ?? {}).map(([name, value]) => [
    name,
    typeof value === "object" && "id" in value ? translated(value, value.id, groups) : value,
  ]);
  return sayOr(said.id, Object.fromEntries(given), english);
}

/** A number as the language writes it. @param {number} value @param {number} [decimals] */
export function number(value, decimals) {
  const [whole, part] = (decimals === undefined ? String(value) : value.toFixed(decimals)).split(".");
  const digits = whole.replace("-", "").length;
  const from = Number(sentences["language.group_from"]);
  const grouped = digits < from ? whole : whole.replace(/\B(?=(\d{3})+$)/g, sentences["language.groups"]);
  return part === undefined ? grouped : grouped + sentences["language.decimal"] + part;
}

/** Some texts in a sentence: `Bo, Cy and Di`. @param {string[]} texts @returns {string} */
export const listed = texts =>
  texts.length < 2
    ? texts.join("")
    : sayOr("list.and", { first: texts.slice(0, -1).join(", "), last: texts[texts.length - 1] });

/** @param {Argument} argument */
const written = argument =>
  typeof argument === "string"
    ? argument
    : typeof argument === "number"
      ? number(argument)
      : listed(argument);
