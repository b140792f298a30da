// Finding and making elements.

const SVG = "http://www.w3.org/2000/svg";
/** A list this close to its end, in pixels, keeps showing its end. */
const NEAR_END = 40;
/** How long after a finger is lifted its tap is clicked, at most; in milliseconds. */
const CLICK_DELAY = 100;

/**
 * Return the element with this id, which the template always contains. `_kind`, its class, is for the type checker.
 * @template {HTMLElement} [E=HTMLElement] @param {string} id @param {new () => E} [_kind]
 */
export function byId(id, _kind) {
  return /** @type {E} */ (document.getElementById(id));
}

/**
 * Return the first element that matches and that the template always contains; `_kind` is its class.
 * @template {Element} [E=HTMLElement] @param {ParentNode} parent @param {string} selector @param {new () => E} [_kind]
 */
export function find(parent, selector, _kind) {
  return /** @type {E} */ (parent.querySelector(selector));
}

/** Return all elements that match. @param {ParentNode} parent @param {string} selector */
export function findAll(parent, selector) {
  return [.../** @type {NodeListOf<HTMLElement>} */ (parent.querySelectorAll(selector))];
}

/** Return the closest ancestor of an event's target that matches. @param {Event} event @param {string} selector */
export function closest(event, selector) {
  return event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest(selector)) : null;
}

/**
 * Make an element: `make("p", { class: "x", hidden: true }, "text", child)`. Children that are null are left out.
 * @template {keyof HTMLElementTagNameMap} K @param {K} name @param {Attributes} attributes @param {Child[]} children
 */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/**
 * Make an SVG element.
 * @template {keyof SVGElementTagNameMap} K @param {K} name @param {Attributes} attributes @param {Child[]} children
 */
export function makeSvg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/**
 * Set attributes and append children. True becomes an empty attribute; a number has at most two decimals.
 * @template {Element} E @param {E} element @param {Attributes} attributes @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    const text = typeof value === "number" ? Number(value.toFixed(2)) : value === true ? "" : value;
    element.setAttribute(name, String(text));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Make a button. @param {string} text @param {() => void} press @param {Attributes} attributes */
export function makeButton(text, press, attributes = {}) {
  const button = make("button", { type: "button", ...attributes }, text);
  button.addEventListener("click", press);
  return button;
}

/** Set an attribute; an empty value removes it. @param {Element} node @param {string} name @param {string?} [value] */
export function setOrRemove(node, name, value) {
  if (value) node.setAttribute(name, value);
  else node.removeAttribute(name);
}

/** Change a text only if it differs: screen readers repeat it. @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Move the focus to the scene, from which Tab leads to the board. No piece is focused, because after a press by mouse or
 * finger the mark of the focus would look like something on the board. Only the keyboard goes back to where it was.
 * @param {boolean} isVisible whether the focus was marked before
 */
export function focusScene(isVisible = false) {
  const stop = isVisible ? /** @type {SVGElement | null} */ (document.querySelector('#board [tabindex="0"]')) : null;
  (stop ?? byId("scene")).focus({ preventScroll: true });
}

/**
 * Change the page. If what has the focus disappears, as a button does that was pressed, the focus goes elsewhere.
 * @param {() => void} change @param {() => HTMLElement | undefined} findNext what gets it then: the scene by default
 */
export function keepFocus(change, findNext = () => byId("scene")) {
  const focused = document.activeElement;
  change();
  if (!focused || focused === document.body || focused.checkVisibility({ visibilityProperty: true })) return;
  // A script may have moved it already; and an element that is hidden has it until the page is drawn.
  if (document.activeElement === document.body || document.activeElement === focused) {
    findNext()?.focus({ preventScroll: true });
  }
}

/** Wait until no button is pressed: one that moves while it is pressed is not clicked. */
export async function waitForRelease() {
  if (!document.querySelector("button:active")) return;
  await new Promise((resolve) => {
    addEventListener("click", resolve, { once: true });
    // Not every press ends with a click.
    for (const name of ["pointerup", "pointercancel", "keyup"]) {
      addEventListener(name, () => setTimeout(resolve, CLICK_DELAY), { once: true });
    }
  });
}

/** Change a class only where it differs: faster. @param {Element} element @param {string} name @param {boolean} on */
export function setClass(element, name, on) {
  if (element.classList.contains(name) !== on) element.classList.toggle(name, on);
}

/** Give the badges of the seats the colours of their pieces. @param {HTMLElement} place @param {string[]} names */
export function colourBadges(place, names) {
  for (const [seat, name] of names.entries()) {
    place.style.setProperty(`--seat-${seat}`, `var(--seat-${name.toLowerCase()}, transparent)`);
  }
}

/** Return whether a list shows its end, or almost, so that it should go on to do so. @param {Element} list */
export function isScrolledToEnd(list) {
  return list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END;
}

/** Return whether a key is pressed together with one that makes it a shortcut. @param {KeyboardEvent} event */
export function hasModifier(event) {
  return event.altKey || event.ctrlKey || event.metaKey;
}

/** Return the pixels of the screen for one unit of an SVG. @param {SVGGraphicsElement} svg */
export function screenScale(svg) {
  return (svg.getScreenCTM() ?? new DOMMatrix()).a;
}

/** Convert a point of the screen to the units of an SVG. @param {SVGGraphicsElement} svg @param {Point} point */
export function toSvgPoint(svg, { x, y }) {
  return new DOMPoint(x, y).matrixTransform((svg.getScreenCTM() ?? new DOMMatrix()).inverse());
}

/** Return the rectangle between two points as attributes. @param {Point} a @param {Point} b @param {number} padding */
export function rectangleBetween(a, b, padding = 0) {
  const [width, height] = [Math.abs(a.x - b.x) + 2 * padding, Math.abs(a.y - b.y) + 2 * padding];
  return { x: Math.min(a.x, b.x) - padding, y: Math.min(a.y, b.y) - padding, width, height };
}
