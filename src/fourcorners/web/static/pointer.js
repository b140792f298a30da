// Mouse and touch at the table: tap, span and carry; the nearest target wins.

const REACH = { mouse: 10, pen: 12, touch: 16 };
const MOVED = 7;
const REST = 450;

export function pointers({ scene, board, picture, places, choosing, lights, rest }) {
  let down = null;
  let dragged = false;
  let resting = 0;
  let played = null; // what was pressed last: it needs no word while the pointer stays on it
  let kind = "mouse";

  const at = (event, reach = REACH[kind] ?? 10) => places.nearest(choosing.aims(), event.clientX, event.clientY, reach);
  // When the board is zoomed a finger moves it about: corners are then tapped.
  const pans = () => kind === "touch" && board.classList.contains("zoomed");

  scene.addEventListener("pointerdown", (event) => {
    kind = event.pointerType;
    dragged = false;
    if (!event.isPrimary || event.button !== 0) return;
    const node = at(event);
    down = { node, x: event.clientX, y: event.clientY, pointer: event.pointerId, drag: "" };
  });

  scene.addEventListener("pointermove", (event) => {
    kind = event.pointerType;
    if (!event.isPrimary) return;
    const node = at(event);
    if (kind === "mouse") hover(node);
    if (down?.node && !down.drag && Math.hypot(event.clientX - down.x, event.clientY - down.y) > MOVED) begin();
    const point = { x: event.clientX, y: event.clientY };
    if (choosing.from !== null && (kind === "mouse" || down?.drag)) {
      lights.band(node && choosing.state(node) && node.dataset.token !== choosing.from ? places.centre(node) : point);
    }
    if (choosing.carried && choosing.prefix.length < 2 && (kind === "mouse" || down?.drag)) lights.ghost(point);
  });

  function begin() {
    const { gesture, token } = down.node.dataset;
    if (choosing.busy || !choosing.mine || pans()) return;
    if (gesture === "carry" && (choosing.carried?.token === token || choosing.state(down.node))) {
      if (choosing.carried?.token !== token) choosing.point(down.node);
    } else if (gesture === "span" && choosing.state(down.node)) {
      if (choosing.from !== null && choosing.from !== token) choosing.letGo();
      if (choosing.from === null) choosing.point(down.node);
    } else {
      return;
    }
    down.drag = gesture;
    scene.setPointerCapture(down.pointer);
  }

  scene.addEventListener("pointerup", (event) => {
    const was = down;
    down = null;
    if (!was?.drag || event.pointerId !== was.pointer) return;
    dragged = true;
    const node = at(event, 2 * REACH.touch);
    if (was.drag === "carry") {
      if (node?.dataset.gesture === "drop" && choosing.state(node)) choosing.point(node);
      else if (node !== was.node) choosing.letGo();
    } else if (node?.dataset.gesture === "span" && node !== was.node) {
      if (choosing.state(node)) choosing.point(node);
      else choosing.point(node).then(() => choosing.letGo());
    } else if (node !== was.node) {
      choosing.letGo();
    }
  });

  scene.addEventListener("pointercancel", () => {
    if (down?.drag) choosing.letGo();
    down = null;
  });

  scene.addEventListener("click", (event) => {
    if (dragged) {
      dragged = false;
      return;
    }
    if (picture.past && !choosing.open) return;
    // Assistive technology clicks without a pointer.
    const node = event.detail === 0 ? event.target.closest("[data-token]") : at(event);
    clearTimeout(resting);
    played = node?.dataset.token ?? null;
    if (node) choosing.point(node);
    else if (choosing.active && !choosing.busy) choosing.letGo();
  });

  function hover(node) {
    lights.near(node);
    scene.classList.toggle("aiming", Boolean(node && choosing.state(node)));
    clearTimeout(resting);
    if (node && node.dataset.token === played) return;
    played = null;
    resting = setTimeout(() => rest(node), node ? REST : 0);
  }

  scene.addEventListener("pointerleave", () => {
    clearTimeout(resting);
    played = null;
    rest(null);
    lights.near(null);
    if (!down?.drag) {
      lights.band(null);
      lights.ghost(null);
    }
  });

  scene.addEventListener(
    "wheel",
    (event) => {
      if (choosing.turns.length < 2) return;
      event.preventDefault();
      if (event.deltaY) choosing.turnBy(event.deltaY > 0 ? 1 : -1);
    },
    { passive: false },
  );
  // Dragging an element of the picture is ours, not the browser's.
  scene.addEventListener("dragstart", (event) => event.preventDefault());
}
