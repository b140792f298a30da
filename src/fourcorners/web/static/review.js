// The page of a review: it follows the review while it is being made, and shows any move on one board.

import "./page.js";
import { askApi } from "./api_client.js";
import { byId, closest, find, findAll, hasModifier, screenScale, setOrRemove, setText, toSvgPoint } from "./dom.js";
import { Preparation } from "./parts.js";
import { html, render } from "./preact.js";
import { watchPreparation } from "./preparation.js";
import { pluralise } from "./text.js";

const INTERVAL = 1500; // milliseconds
/** After this many quarters of the moves the progress is announced. */
const ANNOUNCED_PARTS = 4;
/** What needs the arrow keys itself. */
const OWN_ARROWS = "input, textarea, select, .moves:focus";

/** Where the keys ↑ and ↓ go through the mistakes; elsewhere they scroll the page. */
const MISTAKE_KEYS = "#shown, .mistakes";
/** The parts of a report, in which a link to the same move may be several times. */
const SECTIONS = ".turn, #move, .mistakes, .graph, .moves, .players";

const BETTER = '[value="better"]:checked';

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
  const section = SECTIONS.split(", ").find((part) => focused.closest(part)) ?? "";
  const name = ["aria-labelledby", "data-ply", "href"].find((each) => focused.hasAttribute(each));
  return name ? `${section} [${name}="${CSS.escape(focused.getAttribute(name) ?? "")}"]` : "";
}

/** Show another report in place of this one, and keep the focus. @param {string} html */
function showReport(html) {
  const focus = describeFocus();
  const scrolled = review.querySelector(".moves")?.scrollTop ?? 0;
  const isBetterShown = review.querySelector(BETTER);
  review.replaceChildren(parse(html));
  prepare();
  for (const list of findAll(review, ".moves")) list.scrollTop = scrolled;
  if (isBetterShown) /** @type {HTMLElement | null} */ (review.querySelector('[value="better"]'))?.click();
  if (focus) /** @type {HTMLElement | null} */ (review.querySelector(focus))?.focus({ preventScroll: true });
}

/** Say how far the review is: at each quarter, and at the end. */
function announce() {
  const { state, judged, plies, errors } = readState();
  const end = ["The review is finished: {} error found.", "The review is finished: {} errors found."];
  if (state === "finished") setText(byId("review-news"), pluralise(errors, end[0], end[1]));
  if (state === "failed") setText(byId("review-news"), find(review, ".lead").textContent ?? "");
  const part = plies ? Math.floor((ANNOUNCED_PARTS * judged) / plies) : 0;
  if (state !== "running" || part <= announced) return;
  announced = part;
  setText(
    byId("review-news"),
    `${judged} of ${plies} moves judged, ${pluralise(errors, "{} error found so far.", "{} errors found so far.")}`,
  );
}

/** Return the query of a move, which keeps whether all mistakes are listed. @param {string | undefined} number */
function writeQuery(number) {
  const query = new URLSearchParams(number ? { ply: number } : {});
  if (new URLSearchParams(location.search).get("all")) query.set("all", "1");
  return query.size ? `?${query}` : "";
}

/** Fetch the report with the move that is shown now. */
async function refresh() {
  try {
    const query = writeQuery(findSlider()?.value);
    const answer = await fetch(`${path}/report${query}`);
    const report = await answer.text();
    if (!answer.ok) return;
    // While the report was fetched, the reader may have gone on to another move, or asked for all mistakes.
    if (writeQuery(findSlider()?.value) !== query) await refresh();
    else showReport(report);
  } catch {
    // The server cannot be reached now: ask again.
  }
}

/** Fetch the report again and again until it is finished. */
async function follow() {
  if (readState().state !== "running") return;
  await refresh();
  announce();
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
    const answer = await fetch(`${path}/${number}${writeQuery(undefined)}`);
    const move = await answer.text();
    if (!answer.ok || number !== wanted) return;
    const focused = byId("move").contains(document.activeElement) ? document.activeElement?.id : null;
    byId("move").replaceChildren(parse(move));
    if (focused !== null) {
      const steps = findAll(byId("shown"), ".steps a");
      (steps.find((step) => step.id === focused) ?? steps[0])?.focus({ preventScroll: true });
    }
    describeSlider();
    markMove(number);
    dispatchEvent(new Event("fourcorners:display"));
    history.replaceState(history.state, "", writeQuery(String(number)));
    const words = findAll(find(review, ".told"), "h2, :scope > p:not(.row)").map((part) => part.textContent?.trim());
    setText(byId("review-news"), words.join(" "));
  } catch {
    // The server cannot be reached now; the next step tries again.
  }
}

/**
 * Return the number of the move that an arrow key leads to: the one before or after, or the nearest listed mistake.
 * @param {string} key @returns {number | undefined}
 */
function findStep(key) {
  const shown = Number(findSlider()?.value);
  const mistakes = findAll(review, ".mistakes a[data-ply]").map((link) => Number(link.dataset.ply));
  if (key === "ArrowLeft") return shown - 1;
  if (key === "ArrowRight") return shown + 1;
  if (key === "ArrowUp") return mistakes.findLast((number) => number < shown);
  return key === "ArrowDown" ? mistakes.find((number) => number > shown) : undefined;
}

/** Scroll to what is said about the shown move, unless its beginning is in view below the board, which always is. */
function revealWords() {
  const words = find(review, ".told");
  const { top } = words.getBoundingClientRect();
  const isInView = top >= Number.parseFloat(getComputedStyle(words).scrollMarginTop) - 1 && top < 0.7 * innerHeight;
  if (!isInView) words.scrollIntoView();
}

/** Mark a move in both lists, and scroll that of all moves, but not the page, to it. @param {number} number */
function markMove(number) {
  for (const link of findAll(review, ":is(.mistakes, .moves) a[data-ply]")) {
    setOrRemove(link, "aria-current", link.dataset.ply === String(number) ? "step" : null);
  }
  const list = find(review, ".moves");
  const row = list.querySelector("[aria-current]")?.closest("tr");
  if (row) list.scrollTop = row.offsetTop - (list.clientHeight - row.clientHeight) / 2;
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
    // The marks of errors are links.
    if (!closest(event, "a")) showMove(findPointed(graph, event));
  });
}

review.addEventListener("click", async (event) => {
  const link = closest(event, "a[data-ply], #whose");
  if (!link || hasModifier(/** @type {any} */ (event))) return;
  event.preventDefault();
  if (link.id === "whose") {
    history.replaceState(history.state, "", link.getAttribute("href"));
    return refresh();
  }
  await showMove(Number(link.dataset.ply));
  if (!link.id.endsWith("-move")) revealWords();
});
document.addEventListener("keydown", async (event) => {
  if (closest(event, OWN_ARROWS) || hasModifier(event) || !findSlider()) return;
  const isMistake = /^Arrow(Up|Down)$/.test(event.key);
  if (isMistake && !closest(event, MISTAKE_KEYS)) return;
  const number = findStep(event.key);
  if (number === undefined) return;
  event.preventDefault();
  const list = closest(event, ".mistakes");
  await showMove(number);
  if (!isMistake) return;
  if (list) find(list, `[data-ply="${number}"]`).focus({ preventScroll: true });
  revealWords();
});
/** Ask why another move was not better, and show the answer. @param {HTMLFormElement} form */
async function askWhyNot(form) {
  const field = find(form, "input", HTMLInputElement);
  const place = find(review, ".why-not-answer");
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
const shown = findSlider();
if (shown) markMove(Number(shown.value));
follow();
