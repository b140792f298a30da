// How far the server has compiled a game, for a page whose answer waits for that.

/** How often to ask how far it is; most answers come before the first time. In milliseconds. */
const ASK_INTERVAL = 700;

/**
 * Ask the server how far a game is prepared until the returned function is called, or it is prepared.
 * @param {string} game @param {string} feature that the page waits for
 * @param {(share: number) => void} show called with less than 1, and with 1 after that
 */
export function watchPreparation(game, feature, show) {
  let isOver = false;
  let isShown = false;
  let timer = setTimeout(ask, ASK_INTERVAL);
  async function ask() {
    try {
      const { features = {} } = await (await fetch(`/healthz?game=${encodeURIComponent(game)}`)).json();
      if (isOver) return;
      const share = features[feature] ?? 1;
      if (share < 1 || isShown) show(share);
      if (share === 1) return;
      isShown = true;
    } catch {
      // The server cannot be reached now: ask again.
    }
    if (!isOver) timer = setTimeout(ask, ASK_INTERVAL);
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
