// The sections of a rulebook as a list of links, in which the one being read is marked.

import { byId, findAll } from "./dom.js";

/** A section is being read when its heading has passed this part of the window's height. */
const READING_LINE = 0.35;

/** Fill and show the list. @param {HTMLElement[]} headings */
function listSections(headings) {
  const nav = byId("contents");
  const links = headings.map((heading, index) => {
    heading.id ||= `section-${index + 1}`;
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `#${heading.id}`;
    link.textContent = heading.textContent;
    item.append(link);
    nav.querySelector("ol")?.append(item);
    return link;
  });

  const markCurrent = () => {
    const line = innerHeight * READING_LINE;
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < line).length;
    for (const [index, link] of links.entries()) {
      if (index === passed - 1) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  nav.hidden = false;
  addEventListener("scroll", markCurrent, { passive: true });
  markCurrent();
}

const headings = findAll(document, ".rulebook h2");
if (headings.length > 2) listSections(headings);
