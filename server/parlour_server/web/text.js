/** Every English sentence of the page. */

export const UNREADABLE_ANSWER = "The server's answer could not be read.";
export const UNREADABLE_ROOM = "This page can't show that room.";
