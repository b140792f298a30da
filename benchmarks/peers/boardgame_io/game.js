// Dots and boxes for boardgame.io. Edges are numbered: the horizontal ones row by row, then the vertical ones row by row.

const { INVALID_MOVE } = require("boardgame.io/core");

const COLS = 5;
const ROWS = 5;
const ACROSS = COLS * (ROWS + 1);
const EDGES = ACROSS + (COLS + 1) * ROWS;

// Return the edges around a box, given its column and row.
function listEdges(col, row) {
  const left = ACROSS + row * (COLS + 1) + col;
  return [row * COLS + col, (row + 1) * COLS + col, left, left + 1];
}

const BOXES = [];
for (let row = 0; row < ROWS; row++) for (let col = 0; col < COLS; col++) BOXES.push(listEdges(col, row));

// Draw an edge. A player who completes a box owns it and moves again.
function drawEdge({ G, playerID, events }, edge) {
  if (!Number.isInteger(edge) || edge < 0 || edge >= EDGES || G.drawn[edge]) return INVALID_MOVE;
  G.drawn[edge] = true;
  let taken = 0;
  BOXES.forEach((edges, box) => {
    if (edges.includes(edge) && edges.every((other) => G.drawn[other])) {
      G.owners[box] = playerID;
      taken += 1;
    }
  });
  G.scores[playerID] += taken;
  if (!taken) events.endTurn();
}

// Return the result once all edges are drawn.
function findResult({ G }) {
  if (!G.drawn.every(Boolean)) return undefined;
  const [first, second] = G.scores;
  return first === second ? { draw: true } : { winner: first > second ? "0" : "1" };
}

exports.DotsAndBoxes = {
  name: "dots-and-boxes",
  minPlayers: 2,
  maxPlayers: 2,
  setup: () => ({ drawn: Array(EDGES).fill(false), owners: Array(BOXES.length).fill(null), scores: [0, 0] }),
  moves: { draw: drawEdge },
  endIf: findResult,
};
