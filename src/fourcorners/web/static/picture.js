// The pictures of board and tray: shown whole, patched in place, or put aside for an earlier position.

const SVG = "http://www.w3.org/2000/svg";

function parse(text) {
  const template = document.createElement("template");
  template.innerHTML = text;
  return template.content.firstElementChild;
}

function parseElement(text) {
  const holder = document.createElementNS(SVG, "svg");
  holder.innerHTML = text;
  return holder.firstElementChild;
}

export class Picture {
  #hosts;
  #now = { board: null, tray: null };

  constructor(board, tray) {
    this.#hosts = { board, tray };
    this.past = false;
  }

  get board() {
    return this.#hosts.board.firstElementChild;
  }

  get tray() {
    return this.#hosts.tray.firstElementChild;
  }

  // What a move's tokens name in the picture that is shown.
  nodes() {
    return ["board", "tray"].flatMap((name) => [...this.#hosts[name].querySelectorAll("[data-token]")]);
  }

  set(board, tray) {
    this.#now = { board: parse(board), tray: tray ? parse(tray) : null };
    if (!this.past) this.showNow();
  }

  showNow() {
    this.past = false;
    this.#show(this.#now.board, this.#now.tray);
  }

  showPast(board, tray) {
    this.past = true;
    this.#show(parse(board), tray ? parse(tray) : null);
  }

  #show(board, tray) {
    const focused = this.#focused();
    this.#hosts.board.replaceChildren(...(board ? [board] : []));
    this.#hosts.tray.replaceChildren(...(tray ? [tray] : []));
    this.#refocus(focused);
  }

  patch(patch) {
    if (!patch) return;
    const focused = this.#focused();
    for (const name of ["board", "tray"]) {
      if (!(name in patch)) continue;
      if (patch[name] === null) this.#now[name] = null;
      else this.#now[name] = patchPart(this.#now[name] ?? newPart(name), patch[name]);
    }
    if (!this.past) {
      for (const name of ["board", "tray"]) {
        const host = this.#hosts[name];
        const svg = this.#now[name];
        if (host.firstElementChild !== svg) host.replaceChildren(...(svg ? [svg] : []));
      }
    }
    this.#refocus(focused);
  }

  // What has the focus, and where it is: an element that a patch replaces gives it to its successor.
  #focused() {
    const node = document.activeElement?.closest?.("[data-token]");
    if (!node) return null;
    const { left, top, width, height } = node.getBoundingClientRect();
    return { id: node.id, node, x: left + width / 2, y: top + height / 2 };
  }

  #refocus(focused) {
    if (!focused || (focused.node.isConnected && document.activeElement === focused.node)) return;
    const nodes = this.nodes();
    let next = nodes.find((node) => node.id === focused.id);
    let best = Infinity;
    if (!next) {
      for (const node of nodes) {
        const { left, top, width, height } = node.getBoundingClientRect();
        const distance = Math.hypot(left + width / 2 - focused.x, top + height / 2 - focused.y);
        if (distance < best) [best, next] = [distance, node];
      }
    }
    next?.focus({ preventScroll: true });
  }
}

function newPart(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `fc-${name}`);
  svg.setAttribute("role", "group");
  return svg;
}

function patchPart(svg, part) {
  const find = (id) => svg.querySelector(`:scope > [id="${CSS.escape(id)}"]`);
  if (part.box) svg.setAttribute("viewBox", part.box);
  if (part.label !== undefined) svg.setAttribute("aria-label", part.label);
  for (const id of part.remove ?? []) find(id)?.remove();
  for (const [id, changes] of Object.entries(part.set ?? {})) {
    const node = find(id);
    if (node) patchElement(node, changes);
  }
  for (const [behind, text] of part.add ?? []) {
    const node = parseElement(text);
    const before = behind && find(behind);
    if (before) before.after(node);
    else svg.prepend(node);
  }
  return svg;
}

function patchElement(node, changes) {
  if ("markup" in changes) node.innerHTML = changes.markup;
  if ("class" in changes) node.setAttribute("class", changes.class);
  if ("label" in changes) attribute(node, "aria-label", changes.label);
  if ("gesture" in changes) attribute(node, "data-gesture", changes.gesture);
  if ("token" in changes) {
    attribute(node, "data-token", changes.token);
    attribute(node, "role", changes.token ? "button" : node.hasAttribute("aria-label") ? "img" : "");
    attribute(node, "tabindex", changes.token ? "-1" : "");
    if (!changes.token) node.removeAttribute("aria-disabled");
  }
}

function attribute(node, name, value) {
  if (value) node.setAttribute(name, value);
  else node.removeAttribute(name);
}
