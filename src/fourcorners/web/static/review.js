// The page of a review: it follows the review while it is being made, and shows any move.

import { askApi } from "./api_client.js";
import { byId, find, findAll, hasModifier, screenScale, setText, toSvgPoint } from "./dom.js";
import { Preparation } from "./parts.js";
import { html, render } from "./preact.js";
import { watchPreparation } from "./preparation.js";

const INTERVAL = 1500; // milliseconds
/** After this many quarters of the moves the progress is announced. */
const ANNOUNCED_PARTS = 4;
const STEPS = new Map([
  ["ArrowLeft", -1],
  ["ArrowRight", 1],
]);

const review = byId("review");
const path = review.dataset.from ?? "";
let announced = 0;
let wanted = 0; // the number of the move that was asked for last
let questions = 0; // about other moves: only the last one is answered

/** Return the state of the report on the page. */
function readState() {
  const { state = "", judged = "0", plies = "0", errors = "0" } = byId("report").dataset;
  return { state, judged: Number(judged), plies: Number(plies), errors: Number(errors) };
}

/** Return the slider, if there is one. */
function findSlider() {
  return /** @type {HTMLInputElement | null} */ (document.getElementById("ply"));
}

/** Turn HTML of the server, in which it has escaped every name, into nodes. @param {string} html */
function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

/** Return what finds the element with the focus again in another report; empty if it is elsewhere. */
function describeFocus() {
  const focused = document.activeElement;
  if (!focused || !review.contains(focused)) return "";
  if (focused.id) return `#${CSS.escape(focused.id)}`;
  const region = focused.getAttribute("aria-labelledby");
  if (region) return `[aria-labelledby="${CSS.escape(region)}"]`;
  const address = focused.getAttribute("href");
  return address ? `a[href="${CSS.escape(address)}"]` : "";
}

/** Show another report in place of this one, and keep the focus. @param {string} html */
function showReport(html) {
  const focus = describeFocus();
  review.replaceChildren(parse(html));
  prepare();
  if (focus) /** @type {HTMLElement | null} */ (review.querySelector(focus))?.focus({ preventScroll: true });
}

/** Say how far the review is: at each quarter, and at the end. */
function announce() {
  const { state, judged, plies, errors } = readState();
  const found = `${errors} ${errors === 1 ? "error" : "errors"} found`;
  if (state === "finished") setText(byId("review-news"), `The review is finished: ${found}.`);
  if (state === "failed") setText(byId("review-news"), find(review, ".lead").textContent ?? "");
  const part = plies ? Math.floor((ANNOUNCED_PARTS * judged) / plies) : 0;
  if (state !== "running" || part <= announced) return;
  announced = part;
  setText(byId("review-news"), `${judged} of ${plies} moves judged, ${found} so far.`);
}

/** Fetch the report again and again until it is finished. */
async function follow() {
  if (readState().state !== "running") return;
  try {
    const shown = findSlider()?.value;
    const answer = await fetch(`${path}/report${shown ? `?ply=${shown}` : ""}`);
    const report = await answer.text();
    // While the report was fetched, the reader may have gone on to another move.
    if (answer.ok && findSlider()?.value === shown) {
      showReport(report);
      announce();
    }
  } catch {
    // The server cannot be reached now: ask again.
  }
  setTimeout(follow, INTERVAL);
}

/** Draw the line of the shown move in the graph. @param {number} number of the move */
function moveCursor(number) {
  const graph = find(review, ".graph", SVGSVGElement);
  const { left = "0", right = "0", plies = "1" } = graph.dataset;
  const x = Number(left) + ((Number(right) - Number(left)) * (number - 1)) / Number(plies);
  const cursor = find(graph, ".cursor", SVGPathElement);
  cursor.setAttribute("d", (cursor.getAttribute("d") ?? "").replace(/^M[\d.]+/, `M${x}`));
  // On a phone the graph is wider than the screen.
  const region = graph.parentElement;
  if (region) region.scrollLeft = x * screenScale(graph) - region.clientWidth / 2;
}

/** Show a move: its board and what is said about it. @param {number} number counted from 1 */
async function showMove(number) {
  const slider = findSlider();
  if (!slider || number < Number(slider.min) || number > Number(slider.max)) return;
  wanted = number;
  slider.value = String(number);
  moveCursor(number);
  try {
    const answer = await fetch(`${path}/${number}`);
    const move = await answer.text();
    if (!answer.ok || number !== wanted) return;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const word = byId("shown").contains(focused) ? focused?.textContent : null;
    byId("shown").replaceChildren(parse(move));
    if (word) {
      const steps = findAll(byId("shown"), ".steps a");
      (steps.find((step) => step.textContent === word) ?? steps[0])?.focus({ preventScroll: true });
    }
    describeSlider();
    dispatchEvent(new Event("fourcorners:display"));
    history.replaceState(history.state, "", `?ply=${number}`);
    byId("analyse", HTMLAnchorElement).search = `?ply=${number}`;
    const words = findAll(byId("shown"), "h2, :scope > p").map((part) => part.textContent?.trim());
    setText(byId("review-news"), words.join(". "));
  } catch {
    // The server cannot be reached now; the next step tries again.
  }
}

/** Let screen readers say the move in place of its number. */
function describeSlider() {
  findSlider()?.setAttribute("aria-valuetext", byId("shown-title").textContent?.trim() ?? "");
}

/** Return the number of the move below the pointer. @param {SVGSVGElement} graph @param {MouseEvent} event */
function findPointed(graph, event) {
  const { left = "0", right = "0", plies = "1" } = graph.dataset;
  const { x } = toSvgPoint(graph, { x: event.clientX, y: event.clientY });
  const share = (x - Number(left)) / (Number(right) - Number(left));
  return Math.min(Number(plies), Math.max(1, Math.round(share * Number(plies)) + 1));
}

/** Prepare a report that was just put on the page. */
function prepare() {
  dispatchEvent(new Event("fourcorners:display"));
  const slider = findSlider();
  if (!slider) return;
  describeSlider();
  slider.addEventListener("input", () => showMove(Number(slider.value)));
  const graph = find(review, ".graph", SVGSVGElement);
  graph.addEventListener("click", (event) => {
    // The marks of errors are links to their sections, which say the same.
    const mark = event.target instanceof Element ? event.target.closest("a") : null;
    event.preventDefault();
    showMove(mark ? Number(mark.getAttribute("href")?.replace("#ply-", "")) : findPointed(graph, event));
  });
  // The region around the graph has the focus when Tab reaches it.
  graph.parentElement?.addEventListener("keydown", (event) => {
    const step = STEPS.get(event.key);
    if (!step || hasModifier(event)) return;
    event.preventDefault();
    showMove(Number(slider.value) + step);
  });
}

review.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-ply]") : null;
  if (!(link instanceof HTMLElement) || hasModifier(/** @type {any} */ (event))) return;
  event.preventDefault();
  showMove(Number(link.dataset.ply));
  // From the table the move may be out of sight.
  if (!byId("shown").contains(link)) byId("shown").scrollIntoView({ block: "nearest" });
});
/** Ask why another move was not better, and show the answer. @param {HTMLFormElement} form */
async function askWhyNot(form) {
  const field = find(form, "input", HTMLInputElement);
  const place = find(byId("shown"), ".why-not-answer");
  const move = field.value.trim().replace(/\s+/g, " ");
  if (!move) return field.focus();
  const question = ++questions;
  const show = (/** @type {any} */ content) => question === questions && render(content, place);
  show("One moment…");
  const stop = watchPreparation(form.dataset.game ?? "", "review", (share) =>
    show(share < 1 ? html`<${Preparation} share=${share} />` : "One moment…"),
  );
  const body = { ply: Number(form.dataset.whyNot), move };
  const { answer, sentence } = await askApi(`/api/tables/${path.split("/")[2]}/review/alternatives`, body);
  stop();
  // The server has escaped every name in the HTML.
  const reason = answer?.html && html`<p dangerouslySetInnerHTML=${{ __html: answer.html }} />`;
  show(html`<p><strong>${answer?.sentence ?? sentence}</strong></p>${reason}`);
}

review.addEventListener("submit", (event) => {
  const form = event.target instanceof HTMLFormElement ? event.target : null;
  if (form?.dataset.whyNot === undefined) return;
  event.preventDefault();
  askWhyNot(form);
});
document.documentElement.classList.add("scripted");
prepare();
follow();
