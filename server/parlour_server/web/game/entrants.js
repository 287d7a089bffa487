// The searches that race. Written by `make types` out of the protocol.
export const ENTRANTS = /** @type {const} */ ([
  "minimax",
  "alphabeta",
  "ordering",
  "table",
  "deepening",
  "killers",
  "null_window",
  "aspiration",
  "engine",
]);
