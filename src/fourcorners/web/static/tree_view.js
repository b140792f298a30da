// The moves of an analysis as text: the main line, and variations set apart, with comments and signs.

import { byId, hasModifier } from "./dom.js";
import { Badge } from "./parts.js";
import { effect, html, useLayoutEffect, useMemo, useRef } from "./preact.js";
import { capitalise } from "./text.js";

/** @typedef {import("./analysis_tree.js").AnalysisTree} AnalysisTree */
/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */
/** A signal. @typedef {{ value: { tree: AnalysisTree, seats: AnalysisSeats } }} State */
/** @typedef {(node: TreeMove | null | undefined) => void} Choose shows a move, if there is one */

/** The moves, of which one is current. @param {{ state: State, choose: Choose }} props */
export function TreeView({ state, choose }) {
  const { tree, seats } = state.value;
  const { root, current } = tree;
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const buttons = useMemo(() => /** @type {WeakMap<TreeMove, HTMLElement>} */ (new WeakMap()), []);
  // Not drawn again when only another move is current: there may be thousands.
  const lines = useMemo(
    () => html`<${Lines} root=${root} names=${seats.names} choose=${choose} buttons=${buttons} />`,
    [tree.version, seats.names.join()],
  );
  const hadFocus = list.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    const shown = buttons.get(current);
    // Tab reaches the move that is shown, or the first one.
    const tabbable = shown ?? buttons.get(root.children[0]);
    shown?.setAttribute("aria-current", "step");
    tabbable?.setAttribute("tabindex", "0");
    if (hadFocus) tabbable?.focus({ preventScroll: true });
    reveal(list.current);
    return () => {
      shown?.removeAttribute("aria-current");
      tabbable?.setAttribute("tabindex", "-1");
    };
  }, [current, lines]);
  // When the engine's lines appear, the list becomes shorter.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => reveal(list.current));
    if (list.current) observer.observe(list.current);
  }, []);

  return html`<div class="tree" id="tree" role="group" aria-label="Moves and variations" ref=${list}>
    ${lines}</div>`;
}

/**
 * All moves, whose buttons it puts into a map.
 * @param {{ root: TreeMove, names: string[], choose: Choose, buttons: WeakMap<TreeMove, HTMLElement> }} props
 */
function Lines({ root, names, choose, buttons }) {
  /** Draw the moves after one: the main ones in rows, and below each its comment and variations. @param {TreeMove} first @param {number} ply */
  function drawLine(first, ply) {
    const parts = [];
    let row = [];
    let number = ply;
    for (let node = first; node.children.length; node = node.children[0]) {
      const [main, ...others] = node.children;
      row.push(drawMove(main, number));
      if (main.comment || others.length || !main.children.length) {
        parts.push(html`<div class="line-row">${row}</div>`, drawComment(main));
        row = [];
      }
      for (const other of others) parts.push(drawVariation(other, number));
      number++;
    }
    return parts;
  }

  /** @param {TreeMove} node @param {number} ply @returns {unknown} */
  function drawVariation(node, ply) {
    return html`<div class="variation" role="group" aria-label="Variation at move ${ply}: ${node.move}">
      <div class="line-row">${drawMove(node, ply)}</div>${drawComment(node)}${drawLine(node, ply + 1)}</div>`;
  }

  /** @param {TreeMove} node @param {number} ply */
  function drawMove(node, ply) {
    const { move, seat, judgements, comment } = node;
    const notes = [...judgements.map(([, words]) => words), ...(comment ? ["with a comment"] : [])];
    const label = [`${ply}, ${names[seat] ?? ""}: ${move}`, ...notes].join(", ");
    const sign = judgements.map(([each]) => each).join("");
    return html`<button type="button" class="tree-move" aria-label=${capitalise(label)} tabindex="-1"
      ref=${(/** @type {HTMLElement | null} */ button) => button && buttons.set(node, button)}
      onClick=${() => choose(node)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => step(event, node)}>
      <span class="number">${ply}</span><${Badge} seat=${Math.max(0, seat)} />${move}
      ${sign ? html`<span class="sign">${sign}</span>` : null}</button>`;
  }

  /** Step through the moves with the arrow keys. @param {KeyboardEvent} event @param {TreeMove} node */
  function step(event, node) {
    /** @type {Record<string, TreeMove | null | undefined>} */ const targets = {
      ArrowLeft: node.parent,
      ArrowRight: node.children[0],
      ArrowUp: node.beside(-1),
      ArrowDown: node.beside(1),
    };
    if (!(event.key in targets) || hasModifier(event)) return;
    event.preventDefault();
    choose(targets[event.key]);
  }

  return [drawComment(root), ...drawLine(root, 1)];
}

/** @param {TreeMove} node */
function drawComment({ comment }) {
  return comment ? html`<p class="remark">${comment}</p>` : null;
}

/** Scroll a list, and not the page, to the move that is shown, and to its comment. @param {HTMLElement | null} list */
function reveal(list) {
  const button = list?.querySelector("[aria-current]");
  if (!list) return;
  if (!button) list.scrollTop = 0;
  const below = button?.parentElement?.nextElementSibling;
  for (const item of [below?.matches(".remark") ? below : null, button]) {
    if (!item) continue;
    const [outer, inner] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
    if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
    else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
  }
}

/**
 * Let the buttons of the template step through a tree, and dim those that lead nowhere: a button with `disabled` would
 * lose the focus.
 * @param {State} state @param {Choose} choose
 */
export function connectSteps(state, choose) {
  /** @type {Record<string, (tree: AnalysisTree) => TreeMove | null | undefined>} */ const targets = {
    first: ({ root, current }) => current.parent && root,
    previous: ({ current }) => current.parent,
    following: ({ current }) => current.children[0],
    last: (tree) => tree.current.children[0] && tree.findEnd(tree.current),
  };
  for (const [id, find] of Object.entries(targets)) {
    const button = byId(id);
    button.addEventListener("click", () => choose(find(state.value.tree)));
    effect(() => button.setAttribute("aria-disabled", String(!find(state.value.tree))));
  }
}
