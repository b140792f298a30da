import assert from "node:assert/strict";
import test from "node:test";

/** An element with attributes and children, as far as the figures use it. */
class FakeElement {
  dataset;
  hidden = false;
  textContent = "";
  attributes = new Map();

  constructor(dataset = {}, children = {}) {
    this.dataset = dataset;
    this.children = children;
  }

  querySelectorAll(selector) {
    return this.children[selector] ?? [];
  }

  setAttribute(name, value) {
    this.attributes.set(name, value);
  }

  removeAttribute(name) {
    this.attributes.delete(name);
  }
}

/** Import the module once, with a document that keeps its listener, and return what a click does. */
async function loadModule() {
  globalThis.Element = FakeElement;
  const classes = [];
  let listener;
  globalThis.document = {
    documentElement: { classList: { add: (name) => classes.push(name) } },
    addEventListener: (_, added) => {
      listener = added;
    },
  };
  await import("../../src/fourcorners/web/static/rulebook.js");
  return { classes, click: (target) => listener({ target }) };
}

/** Make a figure of three steps; the second one has no sentence. */
function makeFigure() {
  const images = [0, 1, 2].map((step) => new FakeElement({ step }));
  const sentences = [0, 2].map((step) => new FakeElement({ step }));
  const buttons = [-1, 1].map((go) => new FakeElement({ go }));
  const counter = new FakeElement();
  const figure = new FakeElement(
    { steps: "3" },
    { img: images, li: sentences, "[data-go]": buttons, ".step-buttons span": [counter] },
  );
  for (const button of buttons) {
    button.closest = (selector) => (selector.startsWith("figure") ? figure : button);
  }
  return { images, sentences, buttons, counter };
}

test("buttons show one step at a time and stop at both ends", async () => {
  const { classes, click } = await loadModule();
  assert.deepEqual(classes, ["can-step"]);
  const { images, sentences, buttons, counter } = makeFigure();
  const shown = () => images.findIndex((image) => !image.hidden);
  const current = () => sentences.filter((one) => one.attributes.has("aria-current")).map((one) => one.dataset.step);
  const disabled = () => buttons.map((button) => button.attributes.get("aria-disabled"));
  const [previous, next] = buttons;
  const walk = [
    [next, 1, [], ["false", "false"], "Step 2 of 3"],
    [next, 2, [2], ["false", "true"], "Step 3 of 3"],
    [next, 2, [2], ["false", "true"], "Step 3 of 3"],
    [previous, 1, [], ["false", "false"], "Step 2 of 3"],
    [previous, 0, [0], ["true", "false"], "Step 1 of 3"],
    [previous, 0, [0], ["true", "false"], "Step 1 of 3"],
  ];
  for (const [button, step, sentence, ends, text] of walk) {
    click(button);
    assert.deepEqual([shown(), current(), disabled(), counter.textContent], [step, sentence, ends, text]);
    assert.equal(images.filter((image) => !image.hidden).length, 1);
  }
});
