// The board page: connects the messages of the table, the picture, the move being chosen and what surrounds the board.

import "./page.js";
import { Announcer, describeEnd } from "./announcer.js";
import { Chat } from "./chat.js";
import { Clocks } from "./clocks.js";
import { ConnectionBanner } from "./connection_banner.js";
import { Count } from "./count.js";
import { byId, keepFocus, setText } from "./dom.js";
import { Evaluation } from "./evaluation_bar.js";
import { Explanations } from "./explanations.js";
import { Geometry } from "./geometry.js";
import { Highlights } from "./highlights.js";
import { Hint } from "./hint.js";
import { Keyboard } from "./keyboard.js";
import { MoveButtons } from "./move_buttons.js";
import { MoveInput } from "./move_input.js";
import { Steps } from "./move_list.js";
import { MoveValues } from "./move_values.js";
import { NextGame } from "./next_game.js";
import { Notifications } from "./notifications.js";
import { singleKeys } from "./parts.js";
import { Picture } from "./picture.js";
import { PictureLinks } from "./picture_links.js";
import { Pointer } from "./pointer.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { Premoves } from "./premoves.js";
import { Readiness } from "./readiness.js";
import { reserveSpace } from "./reserve.js";
import { RulesPanel } from "./rules_panel.js";
import { ShareDialog } from "./share.js";
import { Sheet } from "./sheet.js";
import { connectSingleKeys } from "./shortcuts.js";
import { ShuffleValue } from "./shuffle_panel.js";
import { Sounds } from "./sounds.js";
import { describeNextStep, findGestures } from "./status_line.js";
import { Study } from "./study.js";
import { past, table, thinking } from "./table.js";
import { TableClient } from "./table_client.js";
import { renderPanels } from "./table_panels.js";
import { applyMessage, isCurtained } from "./table_state.js";
import { Toast } from "./toast.js";
import { NOT_YOUR_TURN, TypedMove } from "./typed_move.js";
import { Zoom } from "./zoom.js";

const CHANGED = "The board has changed, so your request was not carried out.";
/** How much room left of the board the rules need to be read there; in pixels. */
const ROOM_FOR_RULES = 310;

const layout = byId("play");
const scene = byId("scene");
const board = byId("board");
const client = new TableClient(layout.dataset.table ?? "");
const picture = new Picture(board, byId("tray"));
const geometry = new Geometry();
const input = new MoveInput(picture, {
  complete: (tokens) => client.ask("complete", { tokens }),
  play: (move) => client.sendMove(move),
});
const page = { client, scene, board, picture, geometry, input };
const highlights = new Highlights(page);
const values = new MoveValues(page);
const readiness = new Readiness(client);
const study = new Study({ ...page, values, explore });
const evaluation = new Evaluation(client);
const hint = new Hint({ ...page, onChange: () => buttons.refresh(getTokenLooks()) });
const steps = new Steps(showPly);
const announcer = new Announcer();
/** @param {string} sentence */
const announce = (sentence) => announcer.announce(sentence);
const toast = new Toast(announce);
const explanations = new Explanations(announce);
const chat = new Chat(client, announce);
const buttons = new MoveButtons({ ...page, annotate });
const keyboard = new Keyboard({
  ...page,
  highlights,
  onFocus: (node) => say(describeValue(node)),
  onHint: () => document.getElementById("hint")?.click(),
  onRules: () => rules.toggle(),
  onType: () => typedMove.focus(),
  onNext: NextGame.follow,
});
const typedMove = new TypedMove({ ...page, say });
// After the keyboard: Escape cancels a chosen token before it deletes a premove.
const premoves = new Premoves({ ...page, restart });

const count = new Count({
  ...page,
  table: layout.dataset.table ?? "",
  announce,
  onTally: (tallies) => {
    if (table.value) table.value = { ...table.value, tallies };
  },
  onDone: (counted) => {
    keepFocus(
      () => show({ ...counted, presence }),
      () => byId("result"),
    );
    for (const sentence of [count.answer.value, ...describeEnd(counted)]) announce(sentence);
  },
});

const { name = "", account } = byId("waiting-room").dataset;
/** @type {PanelPage} */ const panelPage = {
  client,
  toast,
  announce,
  send,
  profile: { name, account: account === "yes" },
};
renderPanels({
  ...panelPage,
  count,
  study,
  evaluation,
  hint,
  readiness,
  values,
  input,
  steps,
  explanations,
  chat,
  premoves,
});

chat.connect();
const rules = new Sheet("rules-panel", { button: "rules", setOpen: showRules });
const zoom = new Zoom(page);
new PictureLinks(() => steps.shownPly.value);
const clocks = new Clocks(client, announce);
new RulesPanel(layout.dataset.game ?? "");
new ConnectionBanner(client);
/** What takes every state of the table and needs nothing else. */
const listeners = [
  new ShareDialog(() => steps.shownPly.value),
  announcer,
  count,
  typedMove,
  clocks,
  chat,
  explanations,
  new Notifications(),
  new NextGame(layout.dataset.table ?? ""),
  new Sounds(),
  new ShuffleValue(client),
];

const linkedPly = new URLSearchParams(location.search).get("ply") ?? "";
/** @type {TableState["presence"]} */ let presence = null;
/** @type {TableState | null} */ let known = null; // what the server has said, points that are to be counted included

/** Show or hide the rules: left of the board where there is room, or else over what is right of it. @param {HTMLElement} panel @param {boolean} isOpen */
function showRules(panel, isOpen) {
  panel.hidden = !isOpen;
  panel.classList.toggle("before-board", board.getBoundingClientRect().left > ROOM_FOR_RULES);
}

/** @param {string} sentence an empty one shows what to do next */
function say(sentence) {
  setText(byId("status"), sentence || describeStatus());
}

/** Say what the chosen tokens are worth, or what to do next. */
function describeStatus() {
  if (study.isExploring && input.prefix.length && !input.mustRotate()) return values.describeMove(input.prefix);
  if (!table.value || (picture.isPast && !input.isOpen)) return "";
  return describeNextStep(input, table.value, findGestures());
}

/** Say what the move is worth that an element stands for. @param {SceneNode | null} node */
function describeValue(node) {
  if (!study.isExploring || !node) return "";
  const value = input.state(node) ? values.getNodeValue(node) : undefined;
  return value === undefined ? "" : `${node.dataset.token}: ${values.describe(value)}.`;
}

/** Return what is known of a choice, to show it on its button. @param {Token} token */
function annotate(token) {
  const value = study.isExploring ? values.getTokenValue(token) : undefined;
  if (value === undefined) return hint.annotate(token);
  return { kind: values.className(value), text: values.text(value), words: values.describe(value) };
}

/** @param {string[] | null} moves the moves that can be tried on the board; null ends that */
function explore(moves) {
  if (moves) input.reset(moves, true, { isExploring: true });
  else restart();
}

/** Give a command, and say if it was refused. @param {Verb} verb @param {CommandBody} body */
async function send(verb, body = {}) {
  const answer = await client.command(verb, body);
  if (answer.type === "refused") say(answer.sentence);
  if (answer.type === "stale") toast.show(answer.sentence ?? CHANGED);
  return answer;
}

/** Let the moves of the game be chosen. */
function restart() {
  if (table.value)
    input.reset(table.value.moves, table.value.mine && !table.value.over, { effects: table.value.effects });
}

/** @returns {TokenLooks} */
function getTokenLooks() {
  return { labels: { ...table.value?.labels, ...premoves.labels }, pictures: table.value?.pictures ?? {} };
}

/** Ask the server why a move is illegal, and say it. @param {string} text */
async function explain(text) {
  const answer = await client.ask("why", { text });
  if (answer?.sentence) say(answer.sentence);
}

/** Show what is chosen, and what can be chosen now. */
function refresh() {
  highlights.refresh();
  keyboard.refresh();
  buttons.refresh(getTokenLooks());
  values.refresh();
  say("");
  layout.dataset.state = getPhase();
}

/** Return the state of the page for styles and tests. */
function getPhase() {
  if (!table.value) return "";
  if (table.value.over) return "over";
  if (!table.value.started && !table.value.study) return "waiting";
  if (input.isBusy) return "busy";
  if (input.isPremoving) return "planning";
  return input.isMine && !input.isExploring ? "mine" : "other";
}

/** Take a new state of the table, or the changes to it. @param {StateMessage | PatchMessage} message */
function take(message) {
  const before = table.value;
  if (message.type === "patch" && !known) return;
  known = applyMessage(known, message);
  const current = count.mask({ ...known, presence });
  const isSame = before?.version === current.version && before.viewer === current.viewer;
  if (current.over && before && !before.over) toast.hide();
  // All have agreed, so the players of this browser go there.
  if (before && !before.rematch && current.rematch && current.seats.length) location.assign(`/play/${current.rematch}`);
  client.viewer = current.viewer ?? undefined;
  if (!isSame) {
    thinking.value = null;
    study.forget();
    hint.forget();
  }
  // What the template has reserved is measured or drawn now.
  if (!before) {
    delete layout.dataset.tray;
    byId("strip-place").replaceChildren();
  }
  if (message.type === "state") picture.set(message.board, message.tray);
  else picture.patch(message.patch);
  reserveSpace(layout, current, picture);
  geometry.clear();
  table.value = current;
  // The position that was shown has been taken back, or is the current one now.
  if ((steps.shownPly.value ?? -1) >= current.plies.length) steps.goTo(Infinity);
  if (!isSame) restart();
  zoom.check();
  show(current);
  // The link leads to an earlier position.
  if (!before && /^\d{1,4}$/.test(linkedPly)) steps.goTo(Number(linkedPly));
  // The hand that was shown last is hidden with its view.
  if (isCurtained(current) && current.viewer !== null) client.view(null);
}

/** Show a state of the table. @param {TableState} current */
function show(current) {
  table.value = current;
  for (const listener of listeners) listener.update(current);
  document.getElementById("confirm")?.closest("label")?.toggleAttribute("hidden", !current.seats.length);
  refresh();
  showAnalysis(current);
}

/** Show the position after some plies. @param {number | null} ply null shows the current position */
async function showPly(ply) {
  study.forget();
  hint.forget();
  const answer = ply === null ? null : await client.ask("look", { ply });
  if (steps.shownPly.value !== ply || (ply !== null && !answer)) return;
  if (answer) picture.showPast(answer.board, answer.tray);
  else picture.showCurrent();
  past.value = answer;
  input.cancel();
  geometry.clear();
  scene.classList.toggle("past", answer !== null);
  // The picture may have been replaced meanwhile, and with it what is counted on it.
  if (table.value) count.update(table.value);
  refresh();
  if (table.value) showAnalysis(table.value);
}

/** Show what the players may know about the shown position. @param {TableState} current */
function showAnalysis(current) {
  const ply = past.value?.ply ?? current.ply;
  study.update(current, ply);
  evaluation.update(current, ply);
  premoves.update(current, past.value === null);
}

client.on("state", (message) => keepFocus(() => take(message)));
client.on("patch", (message) => keepFocus(() => take(message)));
client.on("computer-progress", (message) => {
  thinking.value = message;
});
client.on("presence", (message) => {
  presence = message;
  if (table.value) table.value = { ...table.value, presence };
});
client.on("error", ({ sentence }) => say(sentence));
input.on("change", refresh);
input.on("played", () => toast.hide());
input.on("lost-move", ({ move, sentence }) => {
  toast.show(`Your move ${move} was not played: ${sentence || "the board has changed"}.`, true);
});
input.on("why", ({ text }) => {
  if (!input.isPremoving) explain(text);
});
input.on("not-mine", ({ node }) => {
  if (premoves.beginAt(node)) return;
  // Whose turn it is stands above the board already.
  if (table.value && !table.value.study) say(table.value.over ? "The game is over." : NOT_YOUR_TURN);
});

new Pointer({
  ...page,
  highlights,
  // The pointer rests on something: say why it cannot be chosen.
  onRest: (node) => {
    const canExplain = input.isMine && !input.isPremoving && !input.isBusy && !picture.isPast;
    if (!node || study.isExploring) say(describeValue(node));
    else if (canExplain && !input.state(node) && !input.isChosen(node)) explain(input.describe(node));
  },
});

connectSingleKeys(singleKeys);
document.getElementById("explanations-again")?.addEventListener("click", () => explanations.forget());

const confirmation = /** @type {HTMLInputElement | null} */ (document.getElementById("confirm"));
if (confirmation) {
  const key = `confirm ${layout.dataset.table}`;
  confirmation.checked = loadFlag(key, layout.dataset.confirm === "yes");
  input.needsConfirmation = confirmation.checked;
  confirmation.addEventListener("change", () => {
    if (confirmation.checked) input.needsConfirmation = true;
    else input.trust();
    saveFlag(key, confirmation.checked);
  });
}

new ResizeObserver(() => {
  geometry.clear();
  zoom.check();
  values.refresh();
}).observe(scene);
addEventListener("resize", () => {
  if (rules.isOpen) showRules(byId("rules-panel"), true);
});
// What has the focus must be seen, and the rules may lie over it.
byId("side").addEventListener("focusin", () => {
  if (rules.isOpen && !byId("rules-panel").classList.contains("before-board")) rules.close();
});
if (client.recovered) input.follow(client.recovered.move, client.recovered.answer);
client.connect();
