// Passkeys on the account page: the browser creates one, or signs in with one.

import "./page.js";
import { byId, find } from "./dom.js";
import { connectRecoveryCodes } from "./recovery_codes.js";

const IS_SUPPORTED = typeof window.PublicKeyCredential?.parseCreationOptionsFromJSON === "function";
/** Passkeys belong to a name, never to an address such as 127.0.0.1. */
const HAS_NAME = !/^[\d.]+$|:/.test(location.hostname);

/** Show a sentence below the form; an empty one hides it. @param {string} sentence */
function showError(sentence) {
  byId("passkey-error").textContent = sentence;
}

/**
 * Fetch options from the server; throw an Error with its sentence if it refuses.
 * @param {string} address @param {FormData} form
 */
async function fetchOptions(address, form) {
  const answer = await fetch(address, { method: "POST", body: form });
  if (answer.ok) return answer.json();
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  throw new Error(isJson ? (await answer.json()).sentence : "Too many attempts. Try again later.");
}

/** Send what the browser has made. @param {HTMLFormElement} form @param {Credential | null} credential */
function send(form, credential) {
  if (!(credential instanceof PublicKeyCredential)) return;
  find(form, "[name=credential]", HTMLInputElement).value = JSON.stringify(credential.toJSON());
  for (const field of form.querySelectorAll("input[type=password]")) field.setAttribute("disabled", "");
  form.submit();
}

/** Run one of the two, and show why it failed. @param {() => Promise<void>} work */
async function attempt(work) {
  showError("");
  try {
    await work();
  } catch (error) {
    // Browsers do not say whether someone has cancelled or has no passkey, so that sites do not learn it.
    const isAnswer = error instanceof Error && !(error instanceof DOMException);
    showError(isAnswer ? error.message : "Your device has not signed in. You can try again.");
  }
}

/** @param {HTMLFormElement} form */
async function create(form) {
  const options = await fetchOptions("/account/passkey-options", new FormData(form));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  send(form, await navigator.credentials.create({ publicKey }));
}

async function signIn() {
  const options = await fetchOptions("/account/passkey-sign-in-options", new FormData());
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  send(byId("passkey-sign-in", HTMLFormElement), await navigator.credentials.get({ publicKey }));
}

connectRecoveryCodes();
if (IS_SUPPORTED && HAS_NAME) {
  const form = /** @type {HTMLFormElement | null} */ (document.getElementById("create-passkey"));
  if (form) {
    byId("no-passkeys").hidden = true;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(() => create(form));
    });
  } else {
    byId("use-passkey").hidden = false;
    byId("use-passkey").addEventListener("click", () => attempt(signIn));
  }
}
