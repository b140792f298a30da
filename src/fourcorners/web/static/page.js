// On every page: the script of a page imports this first, and pages without their own script load it alone.

import "./display.js";
import "./kept_fields.js";
import { installWorker } from "./worker.js";

installWorker();
