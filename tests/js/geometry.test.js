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

test("a point on a dot, where lines meet, means none of them", () => {
  const svg = makeSvgElement();
  const level = makeNode("a1b1", "pick", { left: 0, top: -17, right: 60, bottom: 17 }, svg);
  const upright = makeNode("a1a2", "pick", { left: -17, top: -60, right: 17, bottom: 0 }, svg);
  const geometry = new Geometry();
  for (const [x, y] of [
    [0, 0],
    [5, 0],
    [-3, -3],
    [10, -10],
  ])
    assert.equal(geometry.findNearest([level, upright], x, y, 16), null);
  assert.equal(geometry.findNearest([level, upright], 10, 0, 16), level);
  assert.equal(geometry.findNearest([level, upright], 3, -14, 16), upright);
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

/** Press arrow keys (L, R, U, D) from a target on, as the keyboard does; return where they lead. */
function press(nodes, from, keys) {
  const geometry = new Geometry();
  const directions = { L: [-1, 0], R: [1, 0], U: [0, -1], D: [0, 1] };
  let [node, aim] = [from, { x: 0, y: 0 }];
  for (const key of keys) {
    const [dx, dy] = directions[key];
    const next = geometry.findNeighbour(nodes, node, dx, dy, aim);
    if (!next) continue;
    const [here, there] = [geometry.centre(node), geometry.centre(next)];
    aim = { x: dx ? 0 : here.x + aim.x - there.x, y: dy ? 0 : here.y + aim.y - there.y };
    node = next;
  }
  return node.dataset.token;
}

/** The edges of a board of `size` by `size` boxes of 40 pixels: those along a row of dots, and those between two rows. */
function makeEdges(size) {
  const board = makeSvgElement();
  const range = [...Array(size + 1).keys()];
  const place = (x, y) => target(40 * x, 40 * y, board);
  const level = range.flatMap((y) => range.slice(1).map((x) => place(x - 0.5, y)));
  return [...level, ...range.slice(1).flatMap((y) => range.map((x) => place(x, y - 0.5)))];
}

test("left and right keep to the row of a board of edges, up and down to its column", () => {
  const edges = makeEdges(5);
  const from = edges.find((edge) => edge.dataset.token === "20,0");
  assert.equal(press(edges, from, "RRRR"), "180,0");
  assert.equal(press(edges, from, "LUR"), "60,0");
  assert.equal(press(edges, from, "D"), "0,20");
  assert.equal(press(edges, from, "DD"), "20,40");
  assert.equal(press(edges, from, "DDDDDDDDDD"), "20,200");
  assert.equal(press(edges, from, "DRDRUULL"), "20,0");
});

test("every edge is reached from every other one along its row and to it", () => {
  const edges = makeEdges(3);
  for (const from of edges) {
    for (const to of edges) {
      const rows = ["U".repeat(6), "D".repeat(6)].flatMap((keys) => [...keys].map((_, index) => keys.slice(index)));
      const ways = ["", ...rows].flatMap((way) => ["", "L", "R", "LL", "RR", "LLL", "RRR"].map((end) => way + end));
      assert.ok(ways.some((way) => press(edges, from, way) === to.dataset.token));
    }
  }
});

test("a row that ends early, and a raised stack, do not change the column", () => {
  const board = makeSvgElement();
  const place = ([x, y]) => target(x, y, board);
  const nodes = [
    [0, 0],
    [40, 0],
    [80, 0],
    [40, 38],
    [0, 80],
    [80, 80],
  ].map(place);
  assert.equal(press(nodes, nodes[2], "D"), "40,38");
  assert.equal(press(nodes, nodes[2], "DD"), "80,80");
  const raised = [
    [0, 40],
    [38, 38],
    [80, 40],
  ].map(place);
  assert.equal(press(raised, raised[0], "RR"), "80,40");
  assert.equal(press(raised, raised[0], "U"), "0,40");
});

test("the hand below the board comes after the last row, and leads back to it", () => {
  const [board, tray] = [makeSvgElement(), makeSvgElement()];
  const nodes = [target(0, 0, board), target(40, 0, board), target(10, 90, tray), target(50, 90, tray)];
  assert.equal(press(nodes, nodes[1], "D"), "50,90");
  assert.equal(press(nodes, nodes[1], "DL"), "10,90");
  assert.equal(press(nodes, nodes[1], "DLU"), "0,0");
});

test("spacing is the median distance between neighbours", () => {
  const geometry = new Geometry();
  assert.equal(geometry.measureSpacing([target(0, 0), target(20, 0), target(40, 0), target(300, 0)]), 20);
  assert.equal(geometry.measureSpacing([target(0, 0)]), Infinity);
});
