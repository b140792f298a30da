import assert from "node:assert/strict";
import test from "node:test";
import { Geometry } from "../../src/fourcorners/web/static/geometry.js";
import { makeNode, makeSvgElement } from "./fakes.js";

/** A 10 x 10 target around a point. */
function target(x, y, svg = makeSvgElement()) {
  return makeNode(`${x},${y}`, "pick", { left: x - 5, top: y - 5, right: x + 5, bottom: y + 5 }, svg);
}

test("the nearest target counts, within reach", () => {
  const [a, b] = [target(0, 0), target(40, 0)];
  const geometry = new Geometry();
  assert.equal(geometry.findNearest([a, b], 4, 0, 10), a);
  assert.equal(geometry.findNearest([a, b], 12, 0, 10), a);
  assert.equal(geometry.findNearest([a, b], 0, 16, 10), null);
});

test("a point between two targets means neither", () => {
  const [a, b] = [target(0, 0), target(20, 0)];
  const geometry = new Geometry();
  assert.equal(geometry.findNearest([a, b], 10, 0, 16), null);
  assert.equal(geometry.findNearest([a, b], 8, 0, 16), a);
});

test("a point on a target means it, however near the next one is", () => {
  const [a, b] = [target(0, 0), target(10, 0)];
  assert.equal(new Geometry().findNearest([a, b], 4.9, 0, 16), a);
});

test("scrolling moves the boxes with their picture", () => {
  const svg = makeSvgElement({ left: 0, top: 0 });
  const node = target(50, 50, svg);
  const geometry = new Geometry();
  assert.deepEqual(geometry.centre(node), { x: 50, y: 50 });
  svg.origin.top = -30;
  assert.deepEqual(geometry.centre(node), { x: 50, y: 20 });
  assert.equal(geometry.findNearest([node], 50, 20, 5), node);
});

test("boxes are measured again after the picture has changed", () => {
  const node = target(50, 50);
  const geometry = new Geometry();
  geometry.centre(node);
  node.getBoundingClientRect = () => ({ left: 0, top: 0, right: 10, bottom: 10 });
  assert.deepEqual(geometry.centre(node), { x: 50, y: 50 });
  geometry.clear();
  assert.deepEqual(geometry.centre(node), { x: 5, y: 5 });
});

test("an arrow key leads to the nearest target in its direction", () => {
  const [from, near, far, below] = [target(0, 0), target(30, 10), target(60, 0), target(5, 30)];
  const geometry = new Geometry();
  const nodes = [from, near, far, below];
  assert.equal(geometry.findNeighbour(nodes, from, 1, 0, { x: 0, y: 0 }), near);
  assert.equal(geometry.findNeighbour(nodes, from, 0, 1, { x: 0, y: 0 }), below);
  assert.equal(geometry.findNeighbour(nodes, from, -1, 0, { x: 0, y: 0 }), null);
});

test("a run of arrow keys keeps to the line on which it began", () => {
  const [from, up, down] = [target(0, 10), target(30, 0), target(30, 20)];
  const geometry = new Geometry();
  assert.equal(geometry.findNeighbour([from, up, down], from, 1, 0, { x: -30, y: 0 }), up);
  assert.equal(geometry.findNeighbour([from, up, down], from, 1, 0, { x: -30, y: 20 }), down);
});

test("a target beyond 45 degrees counts only if there is no other", () => {
  const [from, steep, straight] = [target(0, 0), target(10, 30), target(90, 0)];
  const geometry = new Geometry();
  assert.equal(geometry.findNeighbour([from, steep, straight], from, 1, 0, { x: 0, y: 0 }), straight);
  assert.equal(geometry.findNeighbour([from, steep], from, 1, 0, { x: 0, y: 0 }), steep);
});

test("spacing is the median distance between neighbours", () => {
  const geometry = new Geometry();
  assert.equal(geometry.measureSpacing([target(0, 0), target(20, 0), target(40, 0), target(300, 0)]), 20);
  assert.equal(geometry.measureSpacing([target(0, 0)]), Infinity);
});
