// Copying to the clipboard.

/** What to say if a link in a selected field could not be copied. */
export const LINK_IS_SELECTED = "The link is selected. Copy it with your keyboard or menu.";

/**
 * Copy a text, and return a sentence that says whether it worked. @param {string} text
 * @param {string} otherwise what to say if it did not
 */
export async function copyText(text, otherwise = "Your browser does not allow copying. Select the text and copy it.") {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied.";
  } catch {
    // Without TLS the clipboard is closed to pages, but the old command may still work.
    return copyByCommand(text) ? "Copied." : otherwise;
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
