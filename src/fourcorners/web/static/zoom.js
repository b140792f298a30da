// A larger board where fingers would not find their targets.

const SMALL = 24;
const coarse = matchMedia("(pointer: coarse)");

export function zooming({ board, button, places, choosing }) {
  const set = (on) => {
    board.classList.toggle("zoomed", on);
    button.setAttribute("aria-pressed", String(on));
    button.textContent = on ? "Whole board" : "Zoom";
    places.clear();
    if (on) board.scrollTo((board.scrollWidth - board.clientWidth) / 2, (board.scrollHeight - board.clientHeight) / 2);
  };
  button.addEventListener("click", () => set(!board.classList.contains("zoomed")));
  const check = () => {
    if (board.classList.contains("zoomed")) return;
    const nodes = choosing.aims().filter((node) => board.contains(node));
    button.hidden = !(nodes.length > 1 && places.pitch(nodes) < SMALL && (coarse.matches || board.clientWidth < 600));
  };
  return { check };
}
