// Serve dots and boxes to this machine alone: `node server.js PORT`.

const { Server } = require("boardgame.io/server");
const { DotsAndBoxes } = require("./game.js");

const server = Server({ games: [DotsAndBoxes] });
server.run({ port: { port: Number(process.argv[2]), host: "127.0.0.1" } });
process.on("SIGTERM", () => process.exit(0));
