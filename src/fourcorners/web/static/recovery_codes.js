// New recovery codes on the account page, to be copied or printed.

import { copyText } from "./clipboard.js";
import { byId, findAll, setText } from "./dom.js";

/** Connect the buttons below new codes, if there are any. */
export function connectRecoveryCodes() {
  if (!document.getElementById("codes-ways")) return;
  byId("codes-ways").hidden = false;
  byId("copy-codes").addEventListener("click", async () => {
    const codes = findAll(document, ".codes code").map((code) => code.textContent);
    setText(byId("codes-said"), await copyText(`${codes.join("\n")}\n`));
  });
  byId("print-codes").addEventListener("click", () => print());
}
