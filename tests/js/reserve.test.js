import assert from "node:assert/strict";
import test from "node:test";
import { reserveSpace } from "../../src/fourcorners/web/static/reserve.js";

/** The element around board and tray, with the style properties that were set. */
function makeLayout() {
  const properties = {};
  const style = { setProperty: (name, value) => Object.assign(properties, { [name]: Number(value) }) };
  return { dataset: {}, style, properties };
}

/** A picture with boards and trays of these sizes. */
function makePicture([width, height], tray = null) {
  const makeSvg = (size) => size && { viewBox: { baseVal: { width: size[0], height: size[1] } } };
  return { board: makeSvg([width, height]), tray: makeSvg(tray) };
}

const STATE = { game: { hidden: false }, seats: [0] };

test("the proportions of the first board stay, however the board grows", () => {
  const layout = makeLayout();
  reserveSpace(layout, STATE, makePicture([300, 200]));
  reserveSpace(layout, STATE, makePicture([900, 200]));
  assert.equal(layout.properties["--ratio"], 1.5);
});

test("a very long board is drawn smaller, so that the others keep their room", () => {
  const [long, tall] = [makeLayout(), makeLayout()];
  reserveSpace(long, STATE, makePicture([1000, 100]));
  reserveSpace(tall, STATE, makePicture([100, 1000]));
  assert.equal(long.properties["--ratio"], 2.2);
  assert.equal(tall.properties["--ratio"], 0.6);
});

test("a tray may stand beside the board if it is narrow, and its place stays when it is gone", () => {
  const layout = makeLayout();
  reserveSpace(layout, STATE, makePicture([300, 300], [232, 80]));
  assert.equal(layout.dataset.tray, "narrow");
  reserveSpace(layout, STATE, makePicture([300, 300]));
  assert.equal(layout.dataset.tray, "narrow");
  const wide = makeLayout();
  reserveSpace(wide, STATE, makePicture([300, 300], [500, 100]));
  assert.equal(wide.dataset.tray, "wide");
});

test("a hand gets its place before it is shown, but not for spectators", () => {
  const [player, spectator] = [makeLayout(), makeLayout()];
  reserveSpace(player, { game: { hidden: true }, seats: [0, 1] }, makePicture([300, 300]));
  reserveSpace(spectator, { game: { hidden: true }, seats: [] }, makePicture([300, 300]));
  assert.deepEqual([player.dataset.tray, spectator.dataset.tray], ["wide", "none"]);
});
