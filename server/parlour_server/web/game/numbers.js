// What a tree of numbers may be. Written by `make types` out of `games/numbers.py`.

/** The one that every textbook has. */
export const TEXTBOOK = "(3,12,8)(2,4,6)(14,5,2)";

/** No leaf is further from 0. */
export const LARGEST = 50;
