// Copying to the clipboard.

/** Copy a text, and return a sentence about what became of it. @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied.";
  } catch {
    // Without TLS the clipboard is closed to pages, but the old command may still work.
    return copyByCommand(text) ? "Copied." : "This browser does not let the page copy.";
  }
}

/** Copy a text, and return whether that worked. @param {string} text */
function copyByCommand(text) {
  const put = (/** @type {ClipboardEvent} */ event) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", put);
  const isCopied = document.execCommand("copy");
  document.removeEventListener("copy", put);
  return isCopied;
}
