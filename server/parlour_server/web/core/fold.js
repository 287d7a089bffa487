/** A room's view, kept right by what each event and presence notice says has changed: docs/protocol.md. */

/**
 * Apply a change to a view, in place.
 * @param {any} view
 * @param {{set?: Record<string, any>, splice?: Record<string, any[][]>, version?: number}} change
 */
export function fold(view, { set = {}, splice = {}, version = view.version }) {
  /** @param {string[]} way @returns {any} */
  const find = way => way.reduce((part, name) => part[name], view);
  for (const [path, value] of Object.entries(set)) {
    /** @type {any} */
    const way = path.split(".");
    const field = way.pop();
    const owner = find(way);
    owner[field] = value;
    if (value === null && !Array.isArray(owner)) delete owner[field];
  }
  for (const [path, cuts] of Object.entries(splice))
    for (const cut of cuts) find(path.split(".")).splice(...cut);
  view.version = version;
}
