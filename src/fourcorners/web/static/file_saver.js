// Saving what a script made or received as a file.

import { make } from "./dom.js";

/** @param {Blob} content @param {string} name */
export function saveFile(content, name) {
  const link = make("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}
