// Links to pictures name the shown position and the colours of the page.

import assert from "node:assert/strict";
import test from "node:test";
import { describePicture } from "../../src/fourcorners/web/static/picture_links.js";

const COLOURS = { theme: "dark", palette: "colour-blind", look: "" };

test("a picture is of the shown position, with the colours that are chosen", () => {
  assert.equal(describePicture("/picture.svg", 0, COLOURS), "ply=0&theme=dark&palette=colour-blind");
});

test("an animation of the end has the last ten moves", () => {
  assert.equal(describePicture("/picture.gif", 12, { theme: "light" }, true), "ply=12&theme=light&width=400&last=10");
});

test("the current position needs no ply, and an animation is narrower", () => {
  assert.equal(describePicture("/picture.gif", null, { theme: "light" }), "theme=light&width=400");
});
