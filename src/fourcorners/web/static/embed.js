// A shared analysis in a frame of another site: moves and comments to step through, nothing to change.

import { AnalysisTree } from "./analysis_tree.js";
import { askApi } from "./api_client.js";
import { drawMarks } from "./board_marks.js";
import { byId, closest, colourBadges, hasModifier, make } from "./dom.js";
import { Picture } from "./picture.js";
import { capitalise } from "./text.js";
import { TreeView } from "./tree_view.js";

/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */

class EmbeddedAnalysis {
  /** @type {OpenedAnalysis} */ #opened = JSON.parse(byId("opened").textContent ?? "");
  #tree = new AnalysisTree(this.#opened.nodes, this.#opened.played);
  #picture = new Picture(byId("board"), byId("tray"));
  #place = byId("analysis");
  /** @type {AnalysisSeats} */ #seats = {
    names: JSON.parse(this.#place.dataset.seats ?? "[]"),
    parties: [],
    hasPoints: true,
  };
  #view;
  #question = 0;

  constructor() {
    this.#view = new TreeView(this.#seats, (node) => this.#go(node));
    colourBadges(this.#place, this.#seats.names);
    const { root } = this.#tree;
    byId("first").addEventListener("click", () => this.#go(root));
    byId("previous").addEventListener("click", () => this.#go(this.#tree.current.parent));
    byId("following").addEventListener("click", () => this.#go(this.#tree.current.children[0]));
    byId("last").addEventListener("click", () => this.#go(this.#tree.findEnd(this.#tree.current)));
    document.addEventListener("keydown", (event) => {
      if (hasModifier(event) || event.defaultPrevented || closest(event, "#tree")) return;
      if (event.key === "ArrowLeft") this.#go(this.#tree.current.parent);
      if (event.key === "ArrowRight") this.#go(this.#tree.current.children[0]);
    });
    this.#view.show(root, root);
    this.#show(root, false);
  }

  /** @param {TreeMove | null | undefined} node */
  #go(node) {
    if (!node || node === this.#tree.current) return;
    this.#tree.current = node;
    this.#view.mark(node);
    this.#show(node, true);
  }

  /** Show the position of a move. @param {TreeMove} node @param {boolean} isSpoken */
  async #show(node, isSpoken) {
    for (const id of ["first", "previous"]) byId(id).setAttribute("aria-disabled", String(!node.parent));
    for (const id of ["following", "last"]) byId(id).setAttribute("aria-disabled", String(!node.children.length));
    const question = ++this.#question;
    const { game, options, position } = this.#opened;
    const { answer, sentence } = await askApi("/api/analysis/board", { game, options, position, moves: node.path });
    if (question !== this.#question) return;
    if (!answer) return this.#say(sentence);
    // Seats may have exchanged their colours.
    this.#seats.names = answer.picture.seat_names.map(capitalise);
    colourBadges(this.#place, this.#seats.names);
    this.#picture.set(answer.picture.board, answer.picture.tray);
    // There is nothing to press: what stands for tokens is only described.
    for (const each of this.#picture.nodes()) {
      each.removeAttribute("tabindex");
      each.setAttribute("role", "img");
    }
    drawMarks(this.#picture.board, node.marks);
    this.#place.dataset.ply = String(node.path.length);
    const words = node.parent ? `${node.path.length}. ${capitalise(answer.mover)} ${answer.words}.` : "Start.";
    if (isSpoken) this.#say(`${words} ${node.comment}`);
  }

  /** @param {string} sentence */
  #say(sentence) {
    byId("announcer").replaceChildren(make("p", {}, capitalise(sentence)));
  }
}

new EmbeddedAnalysis();
