import assert from "node:assert/strict";
import test from "node:test";
import { installWindow, replace } from "./fakes.js";

test("what was typed comes back once, and not in the same field of a later step", async (t) => {
  const { document } = installWindow(t);
  Object.assign(document, { querySelectorAll: () => [] });
  for (const name of ["HTMLInputElement", "HTMLTextAreaElement", "HTMLSelectElement"])
    replace(t, globalThis, { [name]: class {} });
  replace(t, globalThis, { history: { state: { draft: { fields: { " typed-move": "a1" } } } } });
  t.mock.method(performance, "getEntriesByType", () => [{ type: "reload" }]);
  const { restoreField } = await import("../../src/fourcorners/web/static/kept_fields.js");
  const fields = [1, 2].map(() => ({ id: "typed-move", name: "", form: null, value: "" }));
  for (const field of fields) restoreField(field);
  assert.deepEqual(
    fields.map(({ value }) => value),
    ["a1", ""],
  );
});
