// The panels of the table page, each with the id of its place in the template.

import { ChatButton, ChatPanel, Heard } from "./chat.js";
import { byId } from "./dom.js";
import { EvaluationBar, EvaluationButton } from "./evaluation_bar.js";
import { Actions, Requests, UndoButton } from "./game_actions.js";
import { Advice, HintButton } from "./hint.js";
import { MoveList } from "./move_list.js";
import { NextGameButton } from "./next_game.js";
import { NotificationSwitch } from "./notifications.js";
import { Icon, Message } from "./parts.js";
import { html, render } from "./preact.js";
import { PremoveList } from "./premoves.js";
import { Ranking } from "./ranking.js";
import { Result } from "./result.js";
import { Curtain, Seats, Strip, TurnLine } from "./seats.js";
import { ShufflePanel } from "./shuffle_panel.js";
import { StudyButtons, VerdictNote } from "./study.js";
import { table } from "./table.js";
import { Note } from "./toast.js";
import { WaitingRoom } from "./waiting_room.js";

/** @type {Record<string, (props: any) => any>} */
const PANELS = {
  "waiting-room": WaitingRoom,
  turnline: TurnLine,
  "strip-place": Strip,
  "curtain-place": Curtain,
  tools: (props) => html`<${UndoButton} ...${props} /><${HintButton} ...${props} /><${ChatButton} ...${props} />`,
  "analyse-place": AnalyseLink,
  "menu-more": () => html`<${NotificationSwitch} /><${ShufflePanel} />`,
  views: Views,
  "premoves-place": (props) => html`<${PremoveList} ...${props} /><${Heard} ...${props} />`,
  news: News,
  "seats-place": Seats,
  "ranking-place": (props) => html`<${Ranking} ...${props} ...${props.study.ranking.value} />`,
  "moves-place": MoveList,
  "chat-place": ChatPanel,
  "actions-place": Actions,
};

/** Draw all panels; from now on they follow what they read. @param {object} props each panel takes what it needs */
export function renderPanels(props) {
  for (const [id, panel] of Object.entries(PANELS)) {
    render(html`<${panel} ...${props} />`, byId(id));
  }
}

/** The buttons that open or show something about the position; those that stay are in the template, too. @param {any} props */
function Views(props) {
  return html`<button type="button" class="plain" id="rules-open" title="Rules" aria-expanded="false"
      aria-controls="rules-panel" aria-keyshortcuts="?"><${Icon} name="rules" /><span class="word">Rules</span></button>
    <${EvaluationButton} ...${props} /><${StudyButtons} ...${props} />
    <button type="button" class="plain" id="zoom" title="Zoom" hidden aria-pressed="false"><${Icon} name="zoom" />
      <span class="word" id="zoom-name">Zoom</span></button>
    <${NextGameButton} />`;
}

/** Sentences about the position and to the players. The place grows at the expense of the list of moves. @param {any} props */
function News(props) {
  const { toast, explanations } = props;
  return html`<${Result} ...${props} /><${Note} toast=${toast} /><${Requests} ...${props} />
    <${Message} id="explanation" kind="explanation" sentence=${explanations.sentence.value}
      close=${() => explanations.hide()} />
    <${Advice} ...${props} /><${VerdictNote} ...${props} />
    <${EvaluationBar} ...${props} />`;
}

/** The way to the analysis board from the menu. */
function AnalyseLink() {
  if (!table.value?.outcome && !table.value?.study) return null;
  return html`<a class="button plain wide" href="${location.pathname}/analysis"><${Icon} name="evaluation" />
    Analysis board</a>`;
}
