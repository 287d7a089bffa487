// What the page goes by of the protocol's messages. Written by `make types` out of the protocol.

/** What answers each command, where it is neither a message of the same name nor `accepted`.
 *  @type {Record<string, string>} */
export const ANSWERS = {
  hello: "welcome",
  carry: "carried",
  rename: "renamed",
  qr: "qr_code",
  remove: "removed",
  rating: "player_rating",
  close_server: "closing",
  check_bot: "checked_bot",
  analyse: "analysis",
  export: "exported",
  tree: "game_tree",
  race: "raced",
  cancel: "cancelled",
};

/** What a server says: the fields that each type always has, and what they hold.
 *  @type {Record<string, string>} */
export const NEEDED = {
  welcome: "id:text protocol:whole server:text player:text name:text limits:map",
  carried: "id:text code:text seconds:number",
  renamed: "id:text name:text",
  qr_code: "id:text rows:list",
  accepted: "id:text room:text version:whole",
  hint: "id:text room:text version:whole report:map",
  thoughts: "id:text room:text thoughts:list",
  record: "id:text record:map",
  room_games: "id:text history:map",
  board: "id:text game:text position:map moves:list",
  rules: "id:text game:text title:text points:list",
  removed: "id:text room:text",
  room_ratings: "id:text room:text ratings:list",
  head_to_head: "id:text room:text tally:map",
  history: "id:text rooms:list",
  ratings: "id:text games:list",
  player_rating: "id:text game:text line:map curve:list played:list against:list",
  closing: "id:text closing:flag",
  rooms: "id:text rooms:list",
  games: "id:text games:list",
  bots: "id:text bots:list",
  checked_bot: "id:text bot:text plays:list",
  analysis: "id:text game:text position:map report:map",
  review: "id:text game:text bot:text moves:list position:map",
  exported: "id:text format:text data:text",
  puzzle: "id:text game:text moves:list position:map find:text candidates:list solved:map",
  exercise: "id:text lesson:text number:whole game:text moves:list position:map asks:text question:text",
  game_tree: "id:text game:text position:map depth:whole pruned:flag nodes:list",
  playouts: "id:text game:text position:map nodes:list played:list",
  lecture: "id:text html:text",
  raced: "id:text game:text position:map entrant:text depth:whole report:map",
  cancelled: "id:text",
  tournaments: "id:text tournaments:list",
  tournament: "id:text view:map",
  refused: "code:text message:text",
  event: "room:text version:whole at:whole event:map",
  snapshot: "room:text version:whole at:whole view:map",
  presence: "room:text set:map",
  thinking: "room:text version:whole seat:whole report:map",
  typing: "room:text channel:text name:text",
  lobby: "rooms:list",
  tournament_changed: "view:map",
  progress: "about:text report:map",
  announcement: "text:text",
  goodbye: "code:text message:text",
};

/** Refusals after which waiting helps. */
export const RETRIED = new Set(["busy", "internal", "not_saved", "server_full", "too_fast"]);

/** Commands that subscribe to their room once they are accepted. */
export const SUBSCRIBING = new Set(["quick", "sit", "subscribe", "take_over"]);

/** Those of them that take a free seat. */
export const SEATING = new Set(["quick", "sit"]);

/** Commands whose search `cancel` stops. */
export const SEARCHING = new Set(["analyse", "hint", "playouts", "puzzle", "race", "review", "tree"]);

/** Events with which a position comes to be. */
export const NEW_POSITION = new Set(["game_started", "move_played", "moves_taken_back"]);

/** Events after which a bot no longer thinks. */
export const ENDS_THOUGHT = new Set([
  "game_finished",
  "game_started",
  "move_played",
  "moves_taken_back",
  "room_closed",
  "seat_left",
  "seat_taken",
]);

/** What is said by its name, so that each reads it in their own language. */
export const QUICK_WORDS = /** @type {const} */ (["hello", "good_luck", "well_played", "thanks", "oops"]);

/** For how long a `typing` notice holds. */
export const TYPING_SECONDS = 6;
