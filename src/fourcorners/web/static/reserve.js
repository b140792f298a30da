// The space that board and tray get for the whole game, so that nothing moves while it is played.

/** A tray whose width is at most this many times its height may stand beside the board. */
const NARROW = 3.5;
/** The limits of a board's proportions, width by height; a board beyond them is drawn smaller. */
const [TALLEST, WIDEST] = [0.6, 2.2];

/** Return the proportions of a picture. @param {SVGSVGElement} svg */
function measureRatio(svg) {
  const { width, height } = svg.viewBox.baseVal;
  return width / height;
}

/**
 * Reserve the space for a game's pictures, once: a board that grows later is drawn smaller in the same place.
 * @param {HTMLElement} layout @param {SpaceState} state @param {Picture} picture
 */
export function reserveSpace(layout, state, picture) {
  if (!layout.dataset.tray && picture.board) {
    layout.style.setProperty("--ratio", String(Math.min(WIDEST, Math.max(TALLEST, measureRatio(picture.board)))));
  }
  // A hand that is not shown yet needs its place as well: behind the curtain, or before the game starts.
  const hasHand = state.game.hidden && state.seats.length > 0;
  const tray = picture.tray ? (measureRatio(picture.tray) > NARROW ? "wide" : "narrow") : hasHand ? "wide" : "none";
  if (!layout.dataset.tray || layout.dataset.tray === "none") layout.dataset.tray = tray;
}
