// Questions to the server's API: an answer, or the sentence of a refusal.

const FAILED = "The server cannot be reached. Check the connection and try again.";

/**
 * Send something to the API. @param {string} path @param {object} body @param {AbortSignal} [signal]
 * @returns {Promise<{ answer: any, sentence: string }>} the answer is null if there is a sentence
 */
export async function askApi(path, body, signal) {
  const headers = { "content-type": "application/json" };
  try {
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
    const answer = await response.json();
    return response.ok ? { answer, sentence: "" } : { answer: null, sentence: answer.sentence ?? FAILED };
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return { answer: null, sentence: "" };
    return { answer: null, sentence: FAILED };
  }
}

/**
 * Ask the API for a file. @param {string} path @param {object} body
 * @returns {Promise<{ file: Blob | null, sentence: string }>} the file is null if there is a sentence
 */
export async function fetchFile(path, body) {
  const headers = { "content-type": "application/json" };
  try {
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    if (response.ok) return { file: await response.blob(), sentence: "" };
    return { file: null, sentence: (await response.json()).sentence ?? FAILED };
  } catch {
    return { file: null, sentence: FAILED };
  }
}

/**
 * Yield the objects of an answer that comes in lines of JSON. What fails is thrown as an Error with a sentence for people.
 * @param {string} path @param {object} body @param {AbortSignal} signal @returns {AsyncGenerator<any>}
 */
export async function* streamApi(path, body, signal) {
  const headers = { "content-type": "application/json" };
  let sentence = FAILED;
  try {
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
    if (response.ok && response.body) return yield* readLines(response.body);
    sentence = (await response.json()).sentence ?? FAILED;
  } catch {
    // No answer, or not all of it.
  }
  throw new Error(sentence);
}

/** Yield the objects of lines of JSON. @param {ReadableStream} body @returns {AsyncGenerator<any>} */
async function* readLines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line) yield JSON.parse(line);
    if (done) return;
  }
}
