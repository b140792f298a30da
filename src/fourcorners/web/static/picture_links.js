// The links to pictures of a game: of the shown position, in the colours of the page.

import { byId, findAll, setText } from "./dom.js";

/** Animations have a frame for each move, so they are smaller: a long game has to be drawn within the server's limits. */
export const ANIMATION_WIDTH = 400;
export const ANIMATIONS = ["gif", "webp"];
/** How many moves an animation of the end shows. */
export const LAST = 10;
const COLOURS = ["theme", "palette", "look"];

export class PictureLinks {
  /** @param {() => number | null} findPly returns the number of plies before the shown position, or null for the current one */
  constructor(findPly) {
    const place = byId("pictures", HTMLDetailsElement);
    // Before a link is followed, by pointer or keyboard: anyone who copies its address gets the shown position as well.
    for (const event of ["toggle", "focusin", "pointerover"]) {
      place.addEventListener(event, () => describeLinks(place, findPly()));
    }
  }
}

/** @param {HTMLElement} place @param {number | null} ply */
function describeLinks(place, ply) {
  const shown = ply === null ? "the current position" : ply === 0 ? "the start" : `the position after move ${ply}`;
  setText(
    byId("pictures-help"),
    `The pictures show ${shown}, GIF and WebP the game up to it. The PDF has the whole game.`,
  );
  for (const link of /** @type {HTMLAnchorElement[]} */ (findAll(place, "a"))) {
    const address = new URL(link.href);
    if (address.pathname.endsWith(".pdf")) continue;
    const last = address.searchParams.has("last");
    link.href = `${address.pathname}?${describePicture(address.pathname, ply, readColours(), last)}`;
  }
}

/** Return the colours of the page, of which the look is only set if this game has it. @returns {Record<string, string | undefined>} */
export function readColours() {
  const find = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement | null} */ (document.querySelector(`.display input[name="${name}"]:checked`))?.value;
  return { theme: document.documentElement.dataset.theme, palette: find("palette"), look: find("look") };
}

/**
 * Return the query of a picture, which may show the last moves only.
 * @param {string} path @param {number | null} ply @param {Record<string, string | undefined>} colours @param {boolean} isEnd
 */
export function describePicture(path, ply, colours, isEnd = false) {
  const query = new URLSearchParams();
  if (ply !== null) query.set("ply", String(ply));
  for (const name of COLOURS) {
    const value = colours[name];
    if (value) query.set(name, value);
  }
  if (ANIMATIONS.some((ending) => path.endsWith(`.${ending}`))) query.set("width", String(ANIMATION_WIDTH));
  if (isEnd) query.set("last", String(LAST));
  return query.toString();
}
