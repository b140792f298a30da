// The keyboard at the table: one element of the board and one of the tray can be tabbed to, arrow keys go on from there.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Keys {
  #current = { board: "", tray: "" };
  #line = null;

  constructor({ scene, picture, places, choosing, lights, focused, hint }) {
    Object.assign(this, { picture, places, choosing, lights, hint });
    scene.addEventListener("keydown", (event) => this.#key(event));
    scene.addEventListener("focusin", (event) => {
      const node = event.target.closest("[data-token]");
      if (!node) return;
      this.#current[this.#part(node)] = node.id;
      this.refresh();
      if (!node.matches(":focus-visible")) return;
      if (choosing.from !== null && node.dataset.token !== choosing.from) lights.band(places.centre(node));
      focused(node);
    });
    document.addEventListener("keydown", (event) => this.#anywhere(event));
  }

  #part(node) {
    return node.ownerSVGElement === this.picture.tray ? "tray" : "board";
  }

  // Keep exactly one element of each part within reach of the Tab key.
  refresh() {
    const aims = this.choosing.aims();
    const stops = new Set();
    for (const part of ["board", "tray"]) {
      const nodes = aims.filter((node) => this.#part(node) === part);
      const kept = nodes.find((node) => node.id === this.#current[part]) ?? this.#held(part);
      const stop = kept ?? nodes.find((node) => this.choosing.state(node)) ?? nodes[0];
      if (stop) stops.add(stop);
    }
    for (const node of this.picture.nodes()) {
      const index = stops.has(node) ? "0" : "-1";
      if (node.getAttribute("tabindex") !== index) node.setAttribute("tabindex", index);
    }
  }

  // The element with the focus keeps it even if arrow keys would no longer lead there.
  #held(part) {
    const node = document.activeElement?.closest?.("[data-token]");
    return node && this.#part(node) === part ? node : undefined;
  }

  #key(event) {
    const node = event.target.closest("[data-token]");
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    const arrow = ARROWS[event.key];
    if (arrow) {
      event.preventDefault();
      this.#step(node, ...arrow);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#line = null;
      if (!event.repeat && (this.choosing.open || !this.picture.past)) this.choosing.point(node);
    }
  }

  #step(node, dx, dy) {
    const line = this.#line;
    const start = line && line.node === node && line.axis === Math.abs(dx) ? line : this.places.centre(node);
    const next = this.places.towards(this.choosing.aims(), node, dx, dy, start);
    if (!next) return;
    this.#line = { node: next, axis: Math.abs(dx), x: start.x, y: start.y };
    next.focus();
  }

  #anywhere(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select")) return;
    if (event.key === "Escape" && this.choosing.active) {
      this.choosing.letGo();
      event.preventDefault();
    } else if (event.key.toLowerCase() === "r" && this.choosing.turns.length) {
      this.choosing.turnBy(event.shiftKey ? -1 : 1);
      event.preventDefault();
    } else if (event.key.toLowerCase() === "h" && !event.repeat) {
      this.hint();
    }
  }
}
