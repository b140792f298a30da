// Finding and making elements.

/** @import { Seat } from "./messages.js" */

export const SVG = "http://www.w3.org/2000/svg";
const BADGE_COLOURS = 8;

/**
 * Return the element with this id, which the template always contains.
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} id
 * @param {new () => E} [_kind] the element's class, for the type checker
 * @returns {E}
 */
export function byId(id, _kind) {
  return /** @type {E} */ (document.getElementById(id));
}

/**
 * Make an element: `make("p", { class: "x", hidden: true }, "text", child)`.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number | boolean | null | undefined>} attributes true becomes an empty attribute; false and null are left out
 * @param {(Node | string | null)[]} children nulls are left out
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  setAttributes(element, attributes);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/**
 * Make an SVG element; numbers are written with two decimals.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function makeSvg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, typeof value === "number" ? String(Number(value.toFixed(2))) : value);
  }
  element.append(...children);
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, string | number | boolean | null | undefined>} attributes
 */
function setAttributes(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
}

/**
 * Set an attribute, or remove it if the value is empty.
 * @param {Element} element
 * @param {string} name
 * @param {string | null | undefined} value
 */
export function setOrRemove(element, name, value) {
  if (value) element.setAttribute(name, value);
  else element.removeAttribute(name);
}

/**
 * Change an element's text only if it differs, so that screen readers do not repeat it.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Make the sign of a seat, the same beside its name and its moves.
 * @param {Seat} seat
 */
export function badge(seat) {
  return make("span", { class: `badge seat-${seat % BADGE_COLOURS}`, "aria-hidden": "true" }, String(seat + 1));
}

/**
 * Return the closest ancestor of an event's target that matches.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export function closest(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

/**
 * Return the transformation from the SVG's own units to pixels of the screen.
 * @param {SVGGraphicsElement} svg
 * @returns {DOMMatrix}
 */
export function screenMatrix(svg) {
  return svg.getScreenCTM() ?? new DOMMatrix();
}

/**
 * Convert a point of the screen to the units of an SVG.
 * @param {SVGGraphicsElement} svg
 * @param {{ x: number, y: number }} point
 * @returns {DOMPoint}
 */
export function toSvgPoint(svg, { x, y }) {
  return new DOMPoint(x, y).matrixTransform(screenMatrix(svg).inverse());
}
