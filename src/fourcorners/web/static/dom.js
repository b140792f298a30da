// Make an element: make("p", {class: "x", hidden: true}, "text", child).

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

const SIGNS = 8;

// The sign of a seat, the same beside its name and its moves.
export function badge(seat) {
  return make("span", { class: `badge seat-${seat % SIGNS}`, "aria-hidden": "true" }, String(seat + 1));
}
