// The lobby's lists, fetched anew every few seconds while somebody looks at them.

const EVERY = 3000;
const place = document.getElementById("lists");
const news = document.getElementById("news");
let shown = ""; // what the server sent last
let timer = 0;

const tables = () => new Set([...place.querySelectorAll(".meeting")].map((item) => item.dataset.table));

function show(text) {
  if (text === shown) return;
  const first = shown === "";
  const before = tables();
  const focused = place.contains(document.activeElement) ? document.activeElement.closest(".meeting")?.dataset.table : null;
  shown = text;
  // The server escapes every name in it.
  const template = document.createElement("template");
  template.innerHTML = text;
  place.replaceChildren(template.content);
  if (focused) place.querySelector(`[data-table="${CSS.escape(focused)}"] a`)?.focus();
  const more = [...tables()].filter((id) => !before.has(id)).length;
  if (!first && more) news.textContent = more === 1 ? "One game more." : `${more} games more.`;
}

async function fetchAnew() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const answer = await fetch(place.dataset.from);
    if (answer.ok) show(await answer.text());
  } catch {
    // not there at the moment: ask again
  }
  timer = setTimeout(fetchAnew, EVERY);
}

document.addEventListener("visibilitychange", fetchAnew);
timer = setTimeout(fetchAnew, EVERY);
