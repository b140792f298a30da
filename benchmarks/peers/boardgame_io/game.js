// Dots and boxes for boardgame.io. Edges are numbered: the horizontal ones row by row, then the vertical ones row by row.

const { INVALID_MOVE } = require("boardgame.io/core");

const COLS = 5;
const ROWS = 5;
const ACROSS = COLS * (ROWS + 1);
const EDGES = ACROSS + (COLS + 1) * ROWS;

// The edges around a box, by its column and row.
function around(col, row) {
  const left = ACROSS + row * (COLS + 1) + col;
  return [row * COLS + col, (row + 1) * COLS + col, left, left + 1];
}

const BOXES = [];
for (let row = 0; row < ROWS; row++) for (let col = 0; col < COLS; col++) BOXES.push(around(col, row));

// Draw an edge; who completes a box takes it and goes on.
function draw({ G, playerID, events }, edge) {
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

function ended({ G }) {
  if (!G.drawn.every(Boolean)) return undefined;
  const [first, second] = G.scores;
  return first === second ? { draw: true } : { winner: first > second ? "0" : "1" };
}

exports.DotsAndBoxes = {
  name: "dots-and-boxes",
  minPlayers: 2,
  maxPlayers: 2,
  setup: () => ({ drawn: Array(EDGES).fill(false), owners: Array(BOXES.length).fill(null), scores: [0, 0] }),
  moves: { draw },
  endIf: ended,
};
