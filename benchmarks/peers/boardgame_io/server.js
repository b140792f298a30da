// Serve dots and boxes to this machine alone: `node server.js PORT [FOLDER]`. Without a folder nothing is stored.

const { FlatFile, Server } = require("boardgame.io/server");
const { DotsAndBoxes } = require("./game.js");

const [port, dir] = process.argv.slice(2);
const db = dir ? new FlatFile({ dir }) : undefined;
const server = Server({ games: [DotsAndBoxes], origins: ["http://127.0.0.1"], db });
server.run({ port: { port: Number(port), host: "127.0.0.1" } });
process.on("SIGTERM", () => process.exit(0));
