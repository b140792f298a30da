// The analysis board: connects the board, the state of the analysis, the panels and the commands.

import "./page.js";
import { connectCommands, KeysDialog } from "./analysis_keys.js";
import { Notes, NotesPanel } from "./analysis_notes.js";
import { Pictures } from "./analysis_pictures.js";
import { AnalysisPositions } from "./analysis_positions.js";
import { Share, ShareDialog } from "./analysis_share.js";
import { Analysis } from "./analysis_state.js";
import { TreeTools, Views } from "./analysis_tools.js";
import { AnalysisTree, JUDGEMENTS } from "./analysis_tree.js";
import { AnalysisValues, Verdict } from "./analysis_values.js";
import { Announcer } from "./announcer.js";
import { copyText } from "./clipboard.js";
import { byId, colourBadges } from "./dom.js";
import { keepDraft } from "./draft.js";
import { EngineLines, EnginePanel } from "./engine_lines.js";
import { LessonBoard } from "./lesson_board.js";
import { singleKeys } from "./parts.js";
import { EditorPanel, PositionEditor } from "./position_editor.js";
import { describePosition, Hands, TurnLine } from "./position_words.js";
import { effect, html, render, signal } from "./preact.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { connectSingleKeys } from "./shortcuts.js";
import { capitalise } from "./text.js";
import { Note, Toast } from "./toast.js";
import { connectSteps, TreeView } from "./tree_view.js";

const OVERLAY = "overlay";

const place = byId("analysis");
const setup = byId("setup", HTMLDialogElement);
/** @type {OpenedAnalysis} */ const opened = JSON.parse(byId("opened").textContent ?? "");
/** Identifies the game or position that the page was opened with. */
const origin = JSON.stringify({ ...opened, nodes: null });
const announcer = new Announcer();
const announce = (/** @type {string} */ sentence) => announcer.announce(capitalise(sentence));
const toast = new Toast(announce);
const positions = new AnalysisPositions(opened, toast);
const seats = JSON.parse(place.dataset.seats ?? "");
const page = { positions, toast, announce, onLeave, onShow };
const analysis = new Analysis(loadTree(), seats, page);
const board = new LessonBoard({
  place,
  play,
  explain,
  onHint: () => {},
  onRules: openKeys,
  complete: (tokens) =>
    editor.isOpen ? editor.complete(tokens) : positions.complete(analysis.tree.current.path, tokens),
  onRefresh: () => {
    if (editor.isOpen) return;
    values.refresh();
    notes.draw();
  },
});
const values = new AnalysisValues(
  board.page,
  opened.values && { moves: new AnalysisTree(opened.nodes, 0).at(opened.shown).path, answer: opened.values },
);
const notes = new Notes(analysis, announce);
const engine = new EngineLines(analysis, announce);
const share = new Share(describe, () => ({ shown: analysis.tree.number, values: values.isOn.value }), toast);
const editor = new PositionEditor(
  opened,
  board,
  (sentence, isError) => (isError ? toast.show(sentence, true) : announce(sentence)),
  () => analysis.show(),
);
const isOverlaid = signal(loadFlag(OVERLAY));

/** Load the tree that was kept when the page was left, unless it is about something else now, and keep it from now on. */
function loadTree() {
  const kept = keepDraft("analysis", () => {
    analysis.save();
    return { page: origin, nodes: analysis.tree.flatten(), path: analysis.tree.current.path };
  });
  const draft = kept?.page === origin ? kept : null;
  const tree = new AnalysisTree(draft?.nodes ?? opened.nodes, opened.played);
  const ply = Number(new URLSearchParams(location.search).get("ply"));
  tree.current = draft ? tree.find(draft.path) : ply ? tree.findPly(ply) : tree.at(opened.shown);
  return tree;
}

function onLeave() {
  board.rest();
  engine.update(null);
  values.update(null);
}

/** @param {BoardAnswer} answer */
function onShow(answer) {
  board.show(answer.picture);
  const where = answer.picture.seat === null ? "over" : analysis.where;
  engine.update(where);
  values.update(where);
  place.dataset.ply = String(analysis.tree.current.path.length);
  place.dataset.position = answer.position;
}

/** Make a move, or a change in the editor. @param {string} move */
function play(move) {
  if (editor.isOpen) return editor.play(move);
  toast.hide();
  return analysis.play(move);
}

/** @param {SubmitEvent} event */
async function playTyped(event) {
  event.preventDefault();
  const field = byId("typed-move", HTMLInputElement);
  if (!field.value.trim()) return;
  const { type } = await play(await board.page.input.read(field.value));
  if (type === "done") field.value = "";
}

/** Say why something cannot be chosen. @param {string} text */
function explain(text) {
  if (editor.isOpen) toast.show("This cannot be changed with the chosen tool.");
  else positions.explain([...analysis.tree.current.path, text]);
}

/** Change a position by hand: the shown one, unless another is given. @param {string} [position] */
function edit(position = analysis.state.value.answer?.position ?? opened.position) {
  setup.close();
  notes.choose("");
  analysis.leave();
  editor.open(position);
}

/** Show a move, if there is one. @param {import("./analysis_tree.js").TreeMove | null | undefined} node */
function go(node) {
  if (!editor.isOpen) analysis.go(node);
}

function undo() {
  if (editor.isOpen) editor.undo();
  else analysis.undo();
}

function toggleOverlay() {
  isOverlaid.value = !isOverlaid.value;
  saveFlag(OVERLAY, isOverlaid.value);
}

async function copyPosition() {
  toast.show(await copyText(analysis.state.value.answer?.position ?? ""));
}

/** What is sent to share or download the analysis. */
function describe() {
  analysis.save();
  const { game, options, position, record } = opened;
  return { game, options, position, record, nodes: analysis.tree.flatten() };
}

function openKeys() {
  byId("keys", HTMLDialogElement).showModal();
}

const label = (/** @type {string} */ id) => byId(id).getAttribute("aria-label") ?? "";
const press = (/** @type {string} */ id) => () => document.getElementById(id)?.click();
const steps = [
  { key: "ArrowLeft", name: "←", words: label("previous"), run: press("previous") },
  { key: "ArrowRight", name: "→", words: label("following"), run: press("following") },
  { key: "ArrowUp", name: "↑", words: "Previous variation", run: () => go(analysis.tree.current.beside(-1)) },
  { key: "ArrowDown", name: "↓", words: "Next variation", run: () => go(analysis.tree.current.beside(1)) },
  { key: "Home", name: "Home", words: label("first"), run: press("first") },
  { key: "End", name: "End", words: "Last position of this line", run: press("last") },
];
/** Run this unless the position editor hides the tree. @param {() => void} run */
const inTree = (run) => () => {
  if (!editor.isOpen) run();
};
const commands = [
  { key: "b", words: "Read the position", run: inTree(() => announce(describePosition(analysis))) },
  { key: "l", words: "Read the engine’s lines", run: () => announce(engine.describe()) },
  { key: "m", words: "Type a move", run: () => byId("typed-move").focus() },
  { key: "c", words: "Write a comment", run: inTree(() => byId("comment").focus()) },
  { key: "e", words: "Engine on or off", run: inTree(() => engine.toggle()) },
  { key: "v", words: "Values of all moves", run: inTree(() => values.toggle()) },
  { key: "o", words: "Overlay of the game, such as chains", run: inTree(press("overlay")) },
  { key: "p", words: "Promote this variation", run: inTree(() => analysis.promote()) },
  { key: "x", words: "Delete from here on", run: inTree(() => analysis.remove()) },
  { key: "u", words: "Undo the last change", run: undo },
  { key: "s", words: "Share a link", run: () => share.open() },
  { key: "t", words: "Set up a position", run: () => setup.showModal() },
  ...Object.entries(JUDGEMENTS).map(([kind, [sign]], index) => ({
    key: String(index + 1),
    words: `Judge the move: ${kind} ${sign}`,
    run: inTree(() => notes.judge(kind)),
  })),
  { key: "?", words: "This list", run: openKeys },
];

connectSingleKeys(singleKeys);
connectCommands(commands, steps);
connectSteps(analysis.state, go);
for (const [id, run] of Object.entries({
  undo,
  "copy-position": copyPosition,
  "edit-open": () => edit(),
  "setup-open": () => setup.showModal(),
  "share-open": () => share.open(),
  download: () => share.download(),
  "keys-open": openKeys,
})) {
  byId(id).addEventListener("click", run);
}
byId("typed").addEventListener("submit", playTyped);

const props = { analysis, engine, values, notes, editor, share, toast, isOverlaid, toggleOverlay };
/** @type {Record<string, (props: any) => any>} */ const panels = {
  turnline: TurnLine,
  views: Views,
  "pictures-place": Pictures,
  "editor-place": EditorPanel,
  "engine-place": () => html`<${EnginePanel} ...${props}><${Verdict} ...${props} /><//>`,
  "tree-tools": TreeTools,
  "tree-place": () => html`<${TreeView} state=${analysis.state} choose=${go} />`,
  "notes-place": NotesPanel,
  "hands-place": Hands,
  dialogs: () => html`<${ShareDialog} ...${props} /><${KeysDialog} commands=${[...steps, ...commands]} />
    <${Note} toast=${toast} kind="panel" />`,
};

for (const [id, panel] of Object.entries(panels)) render(html`<${panel} ...${props} />`, byId(id));
effect(() => colourBadges(place, analysis.state.value.seats.names));
effect(() => {
  byId("scene").classList.toggle("overlaid", isOverlaid.value);
});
effect(() => byId("scene").setAttribute("aria-busy", String(analysis.isLoading.value)));
effect(() => {
  byId("undo").setAttribute("aria-disabled", String(!analysis.state.value.tree.canUndo));
});
if (place.dataset.error) setup.showModal();
if (editor.unfinished === null) analysis.show();
else edit(editor.unfinished);
