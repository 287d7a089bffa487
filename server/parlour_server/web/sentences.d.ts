// The page's sentences. Written by `make types` out of the catalogue of words.

/** What may stand in a sentence. */
export type Argument = string | number | string[];

export interface Words {
  "language.decimal": undefined;
  "language.group_from": undefined;
  "language.groups": undefined;
  "list.and": {first: Argument; last: Argument};
  "page.as_browser": undefined;
  "page.language": undefined;
  "refusal.internal": undefined;
  "refusal.no_such_room": undefined;
}
