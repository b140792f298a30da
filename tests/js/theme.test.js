// The theme is applied before the page is painted, and also where the browser stores nothing.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import vm from "node:vm";
import { FakeStorage } from "./fakes.js";

const SCRIPT = readFileSync(new URL("../../src/fourcorners/web/static/theme.js", import.meta.url), "utf8");

/** Run the script in its own page; return what it says to the style sheets, and the page's events. */
function openPage(localStorage, { prefersDark = false } = {}) {
  const page = new EventTarget();
  const dataset = {};
  vm.runInNewContext(SCRIPT, {
    CustomEvent,
    addEventListener: page.addEventListener.bind(page),
    document: { documentElement: { dataset }, querySelector: () => null },
    getComputedStyle: () => ({ getPropertyValue: () => "#fff" }),
    localStorage,
    matchMedia: () => ({ matches: prefersDark, addEventListener: () => {} }),
  });
  const choose = (detail) => page.dispatchEvent(new CustomEvent("fourcorners:display", { detail }));
  return { dataset, page, choose };
}

test("a theme that cannot be stored is applied as long as the page lasts", () => {
  const { dataset, choose } = openPage(new FakeStorage({ isForbidden: true }));
  assert.equal(dataset.theme, "light");
  choose({ theme: "dark" });
  assert.equal(dataset.theme, "dark");
  choose({ palette: "high-contrast" });
  assert.deepEqual({ ...dataset }, { theme: "dark", palette: "high-contrast", look: "" });
  choose({ theme: "auto" });
  assert.equal(dataset.theme, "light");
});

test("a stored theme comes before that of the system", () => {
  const storage = new FakeStorage();
  storage.setItem("theme", "light");
  assert.equal(openPage(storage, { prefersDark: true }).dataset.theme, "light");
});

test("what another page stores later replaces the choice of this one", () => {
  const storage = new FakeStorage();
  const { dataset, page, choose } = openPage(storage);
  choose({ theme: "dark" });
  storage.setItem("theme", "light");
  page.dispatchEvent(new Event("storage"));
  assert.equal(dataset.theme, "light");
});
