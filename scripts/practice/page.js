// On every page for practice: the menu for the colours, and fields that keep their contents.

import "../../src/fourcorners/web/static/display.js";
import "../../src/fourcorners/web/static/kept_fields.js";

// A copy of the folder on a disk has nothing above it.
if (location.protocol === "file:") document.getElementById("documents")?.remove();
