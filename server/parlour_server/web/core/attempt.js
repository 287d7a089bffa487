/** What a person asked for and the server may refuse. */
import { Refusal } from "./client.js";
import { toast } from "./dom.js";

/** Do it, and say why where it is refused. @param {() => Promise<unknown>} what */
export async function attempt(what) {
  try {
    return await what();
  } catch (error) {
    if (error instanceof Refusal) toast(error.message, "refusal");
    else if (!(error instanceof DOMException) || error.name !== "AbortError") throw error;
  }
  return null;
}
