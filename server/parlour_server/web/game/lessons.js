// What there are exercises on, in the order in which it is taught. Written by `make types` out of the protocol.
export const LESSONS = /** @type {const} */ ([
  "tree",
  "minimax",
  "depth",
  "alphabeta",
  "ordering",
  "horizon",
  "mcts",
]);
