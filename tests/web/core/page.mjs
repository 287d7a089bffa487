// Plays scenarios with the page's own modules, from the folder that is named: a line of JSON in, what came of
// it out.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// All that these modules want of a page: which language it speaks.
globalThis.document = { documentElement: { lang: "en", dataset: {} }, getElementById: () => null };

const core = `${pathToFileURL(process.argv[2])}/core`;
const { Protocol, answerType } = await import(`${core}/protocol.js`);
const { apply, asOf, awayFor, firstState, openActions, thought, typists } = await import(`${core}/room.js`);
const { standing } = await import(`${pathToFileURL(process.argv[2])}/game/standing.js`);

function converse(steps) {
  let ids = 0;
  const protocol = new Protocol(() => `own${ids++}`);
  const delays = [];
  const does = {
    connected: () => protocol.connected(),
    disconnected: () => protocol.disconnected(),
    request: commands => commands.forEach(command => protocol.request(command)),
    signal: signal => protocol.signal(signal),
    abandon: id => protocol.abandon(id),
    collected: id => protocol.collected(id),
    undo: ([command, room]) => protocol.undo(command, room),
    receive: texts => texts.forEach(text => protocol.receive(text)),
    elapsed: number => protocol.elapsed(delays[number]),
  };
  return steps.map(step => {
    for (const [name, value] of Object.entries(step)) does[name]?.(value);
    const fresh = protocol.takeDelays();
    const delivered = protocol.takeDeliveries();
    const sent = [];
    delays.push(...fresh);
    for (let message; (message = protocol.nextToSend()); ) sent.push(message);
    return {
      delivered,
      sent,
      delays: fresh.map(({ seconds, watch }) => ({ seconds, watch })),
      subscriptions: Object.fromEntries(protocol.subscriptions),
      goodbye: protocol.goodbye,
    };
  });
}

// Whatever would change a message, a state or a view that somebody was given throws.
function frozen(part) {
  if (typeof part !== "object" || part === null || Object.isFrozen(part)) return part;
  Object.values(Object.freeze(part)).forEach(frozen);
  return part;
}

function watchRoom(steps) {
  let state = null;
  return steps.map(({ now, receive }) => {
    const before = state;
    let refused = false;
    if (receive) {
      try {
        state = frozen(state ? apply(state, frozen(receive), now) : firstState(frozen(receive), now));
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        refused = true;
      }
    }
    const view = asOf(state, now);
    return {
      refused,
      view,
      version: state.version,
      clock_offset: state.clockOffset,
      position_version: state.positionVersion,
      thinking: state.thinking,
      thought: thought(state) ?? null,
      standing: standing(state),
      typists: typists(state, now),
      open: [...openActions(view)].sort(),
      away: [awayFor(view, 0), awayFor(view, 1)],
      // The parts of the view that are the very same as before the message.
      kept: before ? Object.keys(state.view).filter(name => state.view[name] === before.view[name]) : [],
    };
  });
}

const does = { protocol: converse, room: watchRoom, answers: types => types.map(answerType) };
for await (const line of createInterface({ input: process.stdin })) {
  const [kind, steps] = JSON.parse(line);
  console.log(JSON.stringify(does[kind](steps)));
}
