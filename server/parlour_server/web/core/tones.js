/** The sounds themselves: loaded where somebody wants them. */

/** Frequencies in hertz, one after the other. @type {Record<string, number[]>} */
const SOUNDS = {
  move: [420],
  theirs: [330],
  start: [392, 523],
  win: [523, 659, 784],
  loss: [392, 311],
  draw: [392, 392],
  talk: [880],
  low: [988],
};
/** @type {AudioContext | null} */
let audio = null;

/** @param {keyof typeof SOUNDS} name */
export function sounded(name) {
  try {
    audio ??= new AudioContext();
    SOUNDS[name].forEach((frequency, at) => {
      const tone = /** @type {AudioContext} */ (audio).createOscillator();
      const volume = /** @type {AudioContext} */ (audio).createGain();
      const start = /** @type {AudioContext} */ (audio).currentTime + at * 0.11;
      tone.type = "triangle";
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0.12, start);
      volume.gain.exponentialRampToValueAtTime(0.001, start + 0.13);
      tone.connect(volume).connect(/** @type {AudioContext} */ (audio).destination);
      tone.start(start);
      tone.stop(start + 0.14);
    });
  } catch {
    /* no sound card, or no leave to play yet */
  }
}
