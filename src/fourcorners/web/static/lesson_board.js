// A board on which moves are made that are judged elsewhere: pictures come from the server, gestures are those of a game.

import { byId, focusScene, setText } from "./dom.js";
import { Geometry } from "./geometry.js";
import { Highlights } from "./highlights.js";
import { Keyboard } from "./keyboard.js";
import { MoveButtons } from "./move_buttons.js";
import { MoveInput } from "./move_input.js";
import { Picture } from "./picture.js";
import { Pointer } from "./pointer.js";
import { reserveSpace } from "./reserve.js";
import { describeNextStep, findGestures } from "./status_line.js";

/** How long each position stays while moves are played one after the other, in milliseconds. */
const PLY_DURATION = 550;

export class LessonBoard {
  #place;
  #board = byId("board");
  #picture = new Picture(this.#board, byId("tray"));
  #geometry = new Geometry();
  #input;
  #highlights;
  #keyboard;
  #buttons;
  #onRefresh;
  /** What takes part in choosing a move, for what else is drawn over the board. @type {BoardPage} */ page;
  /** @type {BoardPicture | null} */ #shown = null;
  #animation = 0;

  /** @param {LessonBoardHost} host */
  constructor({ place, play, explain, onHint, complete = async () => null, onRefresh = () => {}, ...keys }) {
    this.#place = place;
    this.#onRefresh = onRefresh;
    this.#input = new MoveInput(this.#picture, { complete, play });
    const page = {
      scene: byId("scene"),
      board: this.#board,
      picture: this.#picture,
      geometry: this.#geometry,
      input: this.#input,
    };
    this.page = page;
    this.#highlights = new Highlights(page);
    this.#keyboard = new Keyboard({
      ...page,
      highlights: this.#highlights,
      onFocus: () => {},
      onHint,
      onRules: keys.onRules ?? (() => {}),
      onType: keys.onType,
    });
    this.#buttons = new MoveButtons({ ...page, annotate: () => null });
    new Pointer({ ...page, highlights: this.#highlights, onRest: () => {} });
    new ResizeObserver(() => this.#geometry.clear()).observe(page.scene);
    this.#input.on("change", () => this.#refresh());
    this.#input.on("why", ({ text }) => explain(text));
  }

  /** Move the focus to the board, unless the keyboard is used there already. */
  focus() {
    if (!byId("scene").querySelector(":focus-visible")) focusScene();
  }

  /** Let no moves be made. */
  rest() {
    this.#animation++;
    this.#input.reset([], false);
  }

  /** Show a position, with its moves. @param {BoardPicture} picture */
  show(picture) {
    this.#animation++;
    delete this.#place.dataset.tray;
    this.#picture.set(picture.board, picture.tray);
    const isHidden = this.#place.dataset.hidden === "yes";
    reserveSpace(this.#place, { game: { hidden: isHidden }, seats: [0] }, this.#picture);
    this.#open(picture);
  }

  /** Show one after the other what was played, then the moves of the last position. @param {Pick<LessonAnswer, "patches" | "picture">} answer */
  async follow({ patches, picture }) {
    const animation = ++this.#animation;
    this.#input.reset([], false);
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const [index, patch] of patches.entries()) {
      if (index && !isCalm) await new Promise((resolve) => setTimeout(resolve, PLY_DURATION));
      if (animation !== this.#animation) return;
      this.#picture.patch(patch);
      this.#geometry.clear();
    }
    this.#open(picture);
  }

  /** Show a picture after some patches, on which no moves are made. @param {BoardPicture} picture @param {ScenePatch[]} patches */
  showLine(picture, patches) {
    this.rest();
    this.#picture.set(picture.board, picture.tray);
    for (const patch of patches) this.#picture.patch(patch);
    this.#geometry.clear();
    this.#refresh();
  }

  /** @param {BoardPicture} picture */
  #open(picture) {
    this.#shown = picture;
    this.#geometry.clear();
    const isOpen = picture.moves === null || picture.moves.length > 0;
    this.#input.reset(picture.moves ?? [], isOpen, { effects: picture.effects });
  }

  /** Show what is chosen, and what can be chosen now. */
  #refresh() {
    const { labels = {}, pictures = {} } = this.#shown ?? {};
    this.#highlights.refresh();
    this.#keyboard.refresh();
    this.#buttons.refresh({ labels, pictures });
    const prompts = JSON.parse(this.#place.dataset.prompts ?? "{}");
    const state = { game: { prompts }, pictures, ply: 0, names: [""] };
    setText(byId("status"), this.#shown ? describeNextStep(this.#input, state, findGestures()) : "");
    this.#onRefresh();
  }
}
