// What the page uses of Preact, signals and htm: `scripts/build_preact` bundles this into static/preact.js.
import htm from "htm";
import { h, options } from "preact";

export { effect, signal, useSignal } from "@preact/signals";
export { render } from "preact";
export { useLayoutEffect, useMemo, useRef } from "preact/hooks";
export const html = htm.bind(h);

// What changes is drawn at once, so that the code that changed it can move the focus there, or measure it.
options.debounceRendering = (draw) => draw();
