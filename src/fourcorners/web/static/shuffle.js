// This browser's part in a fair shuffle: the random values that it gives, and the check of a finished game's record.
// How the order of the tiles follows from the values is in docs/shuffle.md.

const KEY = "shuffle";
/** How many values the browser remembers. */
const MOST_KEPT = 100;
const NO_VALUE = "-";
export const INCLUDED = "The shuffle includes this browser’s value.";

/** @param {Uint8Array} bytes */
function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return the SHA-256 hash of a text; only where the page is secure. @param {string} text */
async function hashText(text) {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/** Return the values that this browser has given, the oldest first. @returns {GivenValue[]} */
function loadValues() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}

/** Remember a value, replacing what was known of it. @param {GivenValue} given @returns {boolean} whether it worked */
export function keepValue(given) {
  const others = loadValues().filter(({ hash }) => hash !== given.hash);
  try {
    localStorage.setItem(KEY, JSON.stringify([...others, given].slice(-MOST_KEPT)));
    return true;
  } catch {
    return false;
  }
}

/** Find the value that this browser has given for a hash. @param {string | null} hash */
export function findValue(hash) {
  return loadValues().find((given) => given.hash === hash) ?? null;
}

/**
 * Return whether commitment and hashes are those that stood when a value was given first; true if it was not given yet.
 * @param {GivenValue} given @param {string | null} commitment @param {(string | null)[]} hashes of all seats
 */
export function isAsBefore(given, commitment, hashes) {
  if (!given.commitment) return true;
  return given.commitment === commitment && String(given.hashes) === String(hashes);
}

/** Draw a random value. @returns {Promise<GivenValue | null>} null where a browser cannot hash, as without HTTPS */
async function drawValue() {
  if (!globalThis.crypto?.subtle) return null;
  const value = toHex(crypto.getRandomValues(new Uint8Array(32)));
  return { hash: await hashText(value), value };
}

/** Draw and remember a random value, and return its hash; empty if this browser cannot take part in a shuffle. */
export async function prepareValue() {
  const given = await drawValue();
  return given && keepValue(given) ? given.hash : "";
}

/** Let every form that starts a shuffled game send the hash of a new value. */
export function prepareForms() {
  for (const form of document.querySelectorAll("form[data-shuffle]")) {
    if (form instanceof HTMLFormElement) prepareForm(form);
  }
}

/** @param {HTMLFormElement} form */
function prepareForm(form) {
  const field = document.createElement("input");
  /** @type {GivenValue | null} */ let given = null;
  let isSent = false;
  const draw = async () => {
    given = null;
    field.value = "";
    given = await drawValue();
    field.value = given?.hash ?? "";
  };
  Object.assign(field, { type: "hidden", name: "hash" });
  form.append(field);
  form.addEventListener("submit", (event) => {
    isSent = !event.defaultPrevented;
  });
  // What is sent has been read from the fields by now. Other readers, as the check of the form, start no game.
  form.addEventListener("formdata", ({ formData }) => {
    if (!isSent) return;
    isSent = false;
    formData.set("hash", given && keepValue(given) ? given.hash : "");
    // The form may be sent again, as into another tab or from the browser's history: a value is for one game only.
    draw();
  });
  draw();
}

/** Return the values of a record's header by name. @param {string} record @returns {Record<string, string>} */
function readHeader(record) {
  const [header] = record.split("\n\n");
  const lines = header.split("\n").slice(1);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
  );
}

/** Return the tiles in the order that follows from nonce and values. @param {Record<string, string>} header */
async function orderTiles({ deck, nonce, values }) {
  const seed = await hashText(`nonce: ${nonce}\nvalues: ${values}\n`);
  // Names of tiles are ASCII, which this sorts as Python does.
  const tiles = deck.split(" ").sort();
  const keys = await Promise.all(tiles.map((_, number) => hashText(`${seed} ${number}`)));
  const order = [...tiles.keys()].sort((a, b) => (keys[a] < keys[b] ? -1 : 1));
  return order.map((number) => tiles[number]).join(" ");
}

/**
 * Check the record of a finished game; `given` is the value of this browser, if it gave one, which stands at `seats`.
 * @param {string} record @param {GivenValue | null} given @param {Seat[]} seats
 * @returns {Promise<ShuffleCheck[]>} sentences, each about what holds or does not
 */
export async function checkShuffle(record, given, seats) {
  const header = readHeader(record);
  const values = (header.values ?? "").split(" ");
  /** @type {ShuffleCheck[]} */ const checks = [];
  /** @param {boolean} holds @param {string} yes @param {string} no */
  const add = (holds, yes, no) => checks.push({ holds, sentence: holds ? yes : no });
  const isCommitted = (await hashText(`nonce: ${header.nonce}\n`)) === header.commitment;
  add(isCommitted, "The server’s nonce matches the hash.", "The server’s nonce does not match the hash.");
  if (given?.commitment) {
    const isSame = given.commitment === header.commitment;
    add(
      isSame,
      "This browser saw the same hash before it gave its value.",
      "This browser saw another hash before it gave its value.",
    );
  }
  if (given?.commitment) {
    const isIn = seats.some((seat) => values[seat] === given.value);
    add(isIn, INCLUDED, "The shuffle does not include this browser’s value.");
  }
  if (given?.hashes) {
    const known = given.hashes;
    const hashes = await Promise.all(values.map((value) => (value === NO_VALUE ? null : hashText(value))));
    const areFixed = hashes.every((hash, seat) => hash === null || hash === known[seat]);
    add(
      areFixed,
      "All values were fixed before this browser gave its own.",
      "A value was chosen after this browser gave its own.",
    );
    const late = hashes.flatMap((hash, seat) => (hash === null && known[seat] !== null ? [seat + 1] : []));
    for (const seat of late) add(false, "", `Seat ${seat} announced a value and did not give it.`);
  }
  const isOrdered = (await orderTiles(header)) === header.deck;
  add(
    isOrdered,
    "The order of the tiles follows from the nonce and the values.",
    "The order of the tiles does not follow from the nonce and the values.",
  );
  return checks;
}
